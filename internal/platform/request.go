package platform

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// checkIDs rejects IDs that are not UUIDs: those of an organization, of a service and of
// a pipe, as far as a path has them.
func checkIDs(operation string, ids ...string) error {
	for i, id := range ids {
		if !IsUUID(id) {
			return fmt.Errorf("%s: the %s ID %q is not a UUID", operation, []string{"organization", "service", "pipe"}[i], id)
		}
	}
	return nil
}

// IsUUID reports whether an ID is a UUID of 36 characters with dashes, in any
// letter case. Other forms would change the path.
func IsUUID(s string) bool { return rest.IsUUID(s) }

// inOrganization declares a request below the path of an organization, to the
// management API.
func (c *Client) inOrganization(operation, subject, organizationID string, path ...string) *rest.Request {
	return &rest.Request{
		Operation:      operation,
		Subject:        subject,
		API:            &c.management.API,
		Realm:          " in organization " + strings.ToLower(organizationID),
		Path:           append([]string{"v1", "organizations", organizationID}, path...),
		NamesObject:    true,
		NotFoundAdvice: "Check the IDs.",
	}
}

const checkOrganization = "Check organization_id and base_url."

// send carries out a request to an API whose settings may be missing.
func (c *Client) send(ctx context.Context, a *api, r *rest.Request) error {
	if len(a.missing) > 0 {
		return fmt.Errorf("%s: %s not set", r.Operation, SettingsAre(a.missing))
	}
	return c.rest.Do(ctx, r)
}

// encode writes a body as JSON.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("the body cannot be written as JSON: %w", err)
	}
	return b, nil
}

// Read reads the JSON of one object from a response. Its error says in which way the object
// is not as documented, without a value, and is the reason why the response cannot be used.
type Read func(object jsontext.Value) error

// get reads one object, whose ID is the last segment of the path.
func (c *Client) get(ctx context.Context, a *api, r *rest.Request, read Read) error {
	r.Method = http.MethodGet
	r.Accept = a.accept(r.Path[len(r.Path)-1], read)
	return c.send(ctx, a, r)
}
