package platform

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// request declares one operation on an API: what is sent, how its response is
// read, and what may be done when it fails.
type request struct {
	operation string // "update pipe"
	subject   string // "pipe … of service … in organization …"
	api       *api
	method    string
	ids       []id // those in path, to be checked
	path      []string
	query     url.Values
	body      any // sent as JSON; nil for none
	// collection says that path names a collection, so that a 404 is not about
	// an object but about what holds it.
	collection bool
	// accept reads the response if its status is 2xx.
	accept func(*response) error

	// invalidate keeps reads that begin later from using what was read earlier.
	// It is called before a write, before it is reconciled, and after it.
	invalidate func()
	// nonIdempotent forbids a retry after an attempt that may have been carried
	// out.
	nonIdempotent bool
	// reconcile is called instead of that retry. It reports whether the request
	// is still needed, and may change it. Optional.
	reconcile func(context.Context) (needed bool, err error)

	// uninterruptible lets an attempt that was sent run to its end, even if its
	// caller is gone.
	uninterruptible bool
	// findSecrets sees the body of an error before its text is used. Optional.
	findSecrets func(body []byte)
	// salvage sees an error and what was read of its response, and reports
	// whether it made a success of it. Optional.
	salvage func(*Error, []byte) bool
}

// id is an ID in a path, and what a user calls it.
type id struct{ name, value string }

// checkIDs rejects IDs that are not UUIDs.
func checkIDs(operation string, ids ...id) error {
	for _, id := range ids {
		if !IsUUID(id.value) {
			return fmt.Errorf("%s: the %s %q is not a UUID", operation, id.name, id.value)
		}
	}
	return nil
}

// IsUUID reports whether an ID is a UUID in the form of the API document, 36
// characters with dashes. The other forms that the library reads would make
// another path.
func IsUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }

// objectKey identifies the object at a path of one API. UUIDs are equal in any
// letter case, other IDs are not.
func objectKey(path []string) string {
	var key strings.Builder
	for _, segment := range path {
		if IsUUID(segment) {
			segment = strings.ToLower(segment)
		}
		key.WriteString("/" + segment)
	}
	return key.String()
}

// get reads one object. Equal reads in flight share one request, and each
// caller decodes a copy of its own. A read that began before a write to the
// same path never serves one that began after it. The last segment of the path is
// the object's ID.
func get[T any](ctx context.Context, c *Client, r *request) (*T, error) {
	r.method = http.MethodGet
	raw, err, interrupted := r.api.reads.read(ctx, objectKey(r.path), func(ctx context.Context) (raw []byte, err error) {
		r.accept = func(response *response) (err error) {
			if _, raw, err = object[T](response); err != nil {
				return err
			}
			return checkAnswered(raw, r.path[len(r.path)-1])
		}
		err = c.do(ctx, r)
		return raw, err
	})
	if interrupted != nil {
		return nil, c.interrupted(ctx, r.operation)
	}
	if err != nil {
		return nil, err
	}
	return decode[T](raw)
}
