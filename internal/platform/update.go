package platform

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Update is a PATCH of one object under way: a call of which each attempt may have another body. The
// values of a body are absolute, so it is retried like a read.
type Update struct {
	*rest.Call
	api *api
	id  string // of the object
}

// Patch is what one attempt sends. Body is marshaled, Leaves names what it has, for the log, and
// AsOf is the end of the read that it is based on: see rest.Request.AsOf.
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
	return ctx, &Update{call, c.management, id}
}

// Send sends a patch as rest.Call.Try does, and reads the updated object, unless a success has no
// result.
func (u *Update) Send(ctx context.Context, patch Patch, read Read) (again bool, err error) {
	accept := u.api.accept(u.id, read)
	u.Leaves, u.AsOf = patch.Leaves, patch.AsOf
	u.Accept = func(r *rest.Response) error {
		if err := accept(r); !errors.Is(err, errNoResult) {
			return err
		}
		return nil
	}
	if err := encode(u.Request, patch.Body); err != nil {
		return false, err
	}
	return u.Try(ctx)
}
