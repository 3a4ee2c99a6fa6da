package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

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
		API:            c.management,
		Tenant:         " in organization " + strings.ToLower(organizationID),
		Method:         http.MethodGet,
		Path:           append([]string{"v1"}, path...),
		Result:         rest.Result{Member: "result"},
		NamesObject:    true,
		NotFoundAdvice: "The API itself has no such object: check the IDs.",
	}, nil
}

const checkOrganization = "Check organization_id."

// Read reads one object of a response, decoded as rest.Response.Value has it. Its error says in which
// way the object is not as documented, without a value, so that the response cannot be used.
type Read func(object any) error

// Update is a PATCH of one object under way: a call of which each attempt may have another body. See
// rest.Client.Begin.
type Update struct {
	*rest.Call
	id string // of the object
}

// Patch is what one attempt sends. Body is marshaled, and Leaves names what it has, for the log. See
// rest.Request for AsOf and Unrepeatable.
type Patch struct {
	Body         any
	Leaves       []string
	AsOf         time.Time
	Unrepeatable bool
}

// MaxAge is how old a read may be that a patch is based on: see rest.Request.AsOf.
const MaxAge = rest.MaxAge

// Send sends a patch as rest.Call.Try does, and reads the updated object, unless a success of the API's
// own has no result or no body.
func (u *Update) Send(ctx context.Context, patch Patch, read Read) (again bool, err error) {
	accept := accept("result", u.id, read)
	u.Leaves, u.AsOf, u.Unrepeatable = patch.Leaves, patch.AsOf, patch.Unrepeatable
	u.Accept = func(r *rest.Response) error {
		if err := accept(r); !errors.Is(err, errNoResult) && !errors.Is(err, io.EOF) {
			return err
		}
		return nil
	}
	if u.Body, err = json.Marshal(patch.Body); err != nil {
		return false, err
	}
	return u.Try(ctx)
}
