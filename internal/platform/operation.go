package platform

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// inOrganization declares a request to the management API. path is what follows the organization. An ID that is no UUID, such as
// in a state that was edited, would address something else: it goes into no request and no message.
func (c *Client) inOrganization(operation, subject, organizationID string, path ...string) *rest.Request {
	r := &rest.Request{
		Operation:      operation,
		Subject:        subject + " in organization " + organizationID,
		API:            c.management,
		Tenant:         " in organization " + strings.ToLower(organizationID),
		Method:         http.MethodGet,
		Path:           append([]string{"v1", "organizations", organizationID}, path...),
		Result:         "result",
		NamesObject:    true,
		NotFoundAdvice: "The API itself has no such object: check the IDs.",
	}
	for i, attribute := range []string{"organization_id", "service_id", "pipe_id"} {
		if at := 2 + 2*i; at < len(r.Path) && !words.IsUUID(r.Path[at]) {
			r.Subject, r.Invalid = "an object", errors.New(attribute+" is no UUID. If it is from the state, that was edited: restore it from a backup")
		}
	}
	return r
}

const checkOrganization = "Check organization_id."

// Read reads one object of a response, decoded as rest.Response.Value has it. Its error says in which
// way the object is not as documented, without a value, so that the response cannot be used.
type Read func(object any) error

// MaxAge is how old a read may be that a patch is based on: see Patch.AsOf.
const MaxAge = rest.MaxAge

// Patch is what one attempt of an update sends: its Body is marshaled. See rest.Request for the others.
type Patch struct {
	Body                          map[string]any
	Leaves                        []string
	HasCredentials, NonIdempotent bool
	AsOf                          time.Time
}

// Update is a PATCH of one object under way. Each attempt may have another body.
type Update struct{ call *rest.Call }

// begin begins an update, which the caller has to End: see rest.Client.Begin.
func (c *Client) begin(ctx context.Context, r *rest.Request) (context.Context, *Update) {
	r.Method = http.MethodPatch
	ctx, call := c.rest.Begin(ctx, r)
	return ctx, &Update{call}
}

// Send sends a patch once, as soon as it may be sent, and reads the updated object, unless a success of the
// API's own has none. A success that does not name the request or the object says nothing of credentials: that is an error
// with its status, and Ambiguous. It reports whether the caller may try again: see rest.Call.Try.
func (u *Update) Send(ctx context.Context, patch Patch, read Read) (again bool, err error) {
	r := u.call.Request
	r.Leaves, r.HasCredentials, r.NonIdempotent, r.AsOf = patch.Leaves, patch.HasCredentials, patch.NonIdempotent, patch.AsOf
	if r.Body, err = json.Marshal(patch.Body); err != nil {
		return false, err
	}
	r.Accept = func(response *rest.Response) error {
		if response.Doubt == nil && response.Result == nil {
			return nil
		}
		return accept(read)(response)
	}
	return u.call.Try(ctx)
}

// End ends an update.
func (u *Update) End() { u.call.End() }

// accept returns a Request.Accept for a success with a result.
func accept(read Read) func(*rest.Response) error {
	return func(r *rest.Response) error {
		if r.Doubt != nil {
			return r.Doubt
		}
		return read(r.Result)
	}
}

// members returns the members of an object; nil if value is not an object.
func members(value any) map[string]any {
	all, _ := value.(map[string]any)
	return all
}

// ErrAbandoned is rest.ErrAbandoned.
var ErrAbandoned = rest.ErrAbandoned

// Error is the error of an operation whose settings and IDs were valid.
type Error = rest.Error

// AsError returns the error of an operation; an empty one if err is another error, or nil. NotFound: the
// API returned a 404 of its own, or two consecutive lists of services omit the object.
func AsError(err error) *Error {
	e := new(Error)
	errors.As(err, &e)
	return e
}

// Absence returns why an error is NotFound, as the rest of a sentence.
func Absence(err error) string {
	e := AsError(err)
	if e.Status == 0 {
		return "two consecutive lists of its services omit it."
	}
	return "the API returned " + e.Response() + ": " + strings.TrimRight(e.Cause(), ".: ") + "."
}
