package platform

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// inOrganization declares a request to the management API. The path below the organization has kinds
// of object and IDs in turn. An ID has to be a UUID.
func (c *Client) inOrganization(operation, subject, organizationID string, path ...string) (*rest.Request, error) {
	path = append([]string{"organizations", organizationID}, path...)
	for i := 1; i < len(path); i += 2 {
		if !words.IsUUID(path[i]) {
			return nil, fmt.Errorf("%s: the %s ID %q is not a UUID", operation, strings.TrimSuffix(path[i-1], "s"), path[i])
		}
	}
	return &rest.Request{
		Operation:      operation,
		Subject:        subject + " in organization " + organizationID,
		API:            &c.management.API,
		Tenant:         " in organization " + strings.ToLower(organizationID),
		Method:         http.MethodGet,
		Path:           append([]string{"v1"}, path...),
		NamesObject:    true,
		NotFoundAdvice: "Check the IDs.",
	}, nil
}

const checkOrganization = "Check organization_id and base_url."

// Read reads one object of a response, decoded as rest.Response.JSON does. Its error says in which
// way the object is not as documented, without a value, so that the response cannot be used.
type Read func(object any) error

// get reads one object, whose ID is the last segment of the path.
func (c *Client) get(ctx context.Context, a *api, r *rest.Request, read Read) error {
	r.Accept = a.accept(r.Path[len(r.Path)-1], read)
	return c.rest.Do(ctx, r)
}
