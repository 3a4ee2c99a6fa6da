package platform

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Update is a PATCH of one object under way: a call of which each attempt may have another body.
type Update struct {
	*rest.Call
	api *api
	id  string // of the object
}

// Patch is what one attempt sends. Body is marshaled, and Leaves names what it has, for the log. See
// rest.Request for AsOf and Unrepeatable.
type Patch struct {
	Body         any
	Leaves       []string
	AsOf         time.Time
	Unrepeatable bool
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
	u.Leaves, u.AsOf, u.Unrepeatable = patch.Leaves, patch.AsOf, patch.Unrepeatable
	u.Accept = func(r *rest.Response) error {
		if err := accept(r); !errors.Is(err, errNoResult) {
			return err
		}
		return nil
	}
	if u.Body, err = json.Marshal(patch.Body); err != nil {
		return false, err
	}
	return u.Try(ctx)
}
