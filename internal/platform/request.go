package platform

import (
	"context"
	"encoding/json"
	"fmt"
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

// MaxAge is how old a read may be that a patch is based on: see Patch.AsOf.
const MaxAge = rest.MaxAge

// Patch is what one attempt of an update sends. Body is marshaled, and Leaves names what it has, for the
// log. See rest.Request for AsOf and NonIdempotent.
type Patch struct {
	Body          any
	Leaves        []string
	AsOf          time.Time
	NonIdempotent bool
}

// Update is a PATCH of one object under way. Each attempt may have another body.
type Update struct {
	call *rest.Call
	id   string // of the object
}

// begin begins an update, which the caller has to End, and sends nothing. The context that it returns
// ends with the update's retry_timeout, for what the caller reads between two attempts.
func (c *Client) begin(ctx context.Context, r *rest.Request, id string) (context.Context, *Update) {
	r.Method = http.MethodPatch
	ctx, call := c.rest.Begin(ctx, r)
	return ctx, &Update{call, id}
}

// Send sends a patch once, as soon as it may be sent, and reads the updated object, unless a success of the
// API's own has none. It reports whether the caller may try again: see rest.Call.Try.
func (u *Update) Send(ctx context.Context, patch Patch, read Read) (again bool, err error) {
	r := u.call.Request
	r.Leaves, r.AsOf, r.NonIdempotent = patch.Leaves, patch.AsOf, patch.NonIdempotent
	r.Accept = func(response *rest.Response) error {
		if response.IsOwn && response.IsSuccess() && response.Cut == nil && members(response.Value)["result"] == nil {
			return nil
		}
		return accept("result", u.id, read)(response)
	}
	if r.Body, err = json.Marshal(patch.Body); err != nil {
		return false, err
	}
	return u.call.Try(ctx)
}

// End ends an update.
func (u *Update) End() { u.call.End() }
