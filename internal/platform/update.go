package platform

import (
	"context"
	"net/http"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Update is a PATCH of one object under way: a call, of which each attempt may have another
// body. Its values are absolute, so it is retried like a read.
type Update struct {
	*rest.Call
	accept func(Read) func(*rest.Response) error
}

// Patch is the body of a PATCH. Body is marshaled, and Leaves names what it carries, for the
// log. AsOf is when what it rests on was read, zero if it rests on nothing: see
// rest.Request.AsOf.
type Patch struct {
	Body   any
	Leaves []string
	AsOf   time.Time
}

// beginUpdate begins an update of the object with this ID, whose path the request has. See
// rest.Client.Begin.
func (c *Client) beginUpdate(ctx context.Context, r *rest.Request, id string) (context.Context, *Update) {
	r.Method = http.MethodPatch
	ctx, call := c.rest.Begin(ctx, r)
	return ctx, &Update{call, func(read Read) func(*rest.Response) error { return optional(c.management.accept(id, read)) }}
}

// Send sends a patch as rest.Call.Try does, and reads the updated object, unless a success has
// no result.
func (u *Update) Send(ctx context.Context, patch Patch, read Read) (again bool, err error) {
	u.Request.Leaves, u.Request.AsOf, u.Request.Accept = patch.Leaves, patch.AsOf, u.accept(read)
	if err := encode(u.Request, patch.Body); err != nil {
		return false, err
	}
	return u.Try(ctx)
}
