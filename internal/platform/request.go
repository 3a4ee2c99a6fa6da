package platform

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// request declares one operation of an API: what is sent, how its response is
// read, and how it may be retried.
type request struct {
	operation string // "update pipe"
	subject   string // "pipe … of service … in organization …"
	api       *api
	method    string
	ids       []id // the IDs in path that must be UUIDs
	path      []string
	query     url.Values
	body      any // sent as JSON; nil for none
	// collection marks a path that names a collection. A 404 is then not about an
	// object.
	collection bool
	// accept reads the response if its status is 2xx.
	accept func(*response) error

	// invalidate prevents later reads from sharing earlier ones. It is called before
	// a write, before its reconciliation, and after it. Optional.
	invalidate func()
	// nonIdempotent forbids a retry after an attempt that may have been carried
	// out.
	nonIdempotent bool
	// reconcile is called before such a retry. It reports whether the request is
	// still needed, and may change body. Optional; without it there is no retry.
	reconcile func(context.Context) (needed bool, err error)

	// uninterruptible lets an attempt that was sent run to its end, even if the
	// caller has cancelled.
	uninterruptible bool
	// findSecrets gets the body of an error before its text is used. Optional.
	findSecrets func(body []byte)
	// salvage gets an error and what was read of its response, and reports whether
	// the response can be used all the same. Optional.
	salvage func(*Error, []byte) bool
}

// id is an ID in a path, and its name in messages.
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

// IsUUID reports whether an ID is a UUID of 36 characters with dashes, in any
// letter case. The other forms that the library accepts would change the path.
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

// get reads one object, whose ID is the last segment of the path. Equal reads in
// flight share one request, and each caller decodes a copy of its own. A read that
// began before a write to the same path never serves one that began after it.
func get[T any](ctx context.Context, c *Client, r *request) (*T, error) {
	r.method = http.MethodGet
	raw, err, interrupted := r.api.reads.read(ctx, objectKey(r.path), func(ctx context.Context) (raw []byte, err error) {
		r.accept = func(response *response) (err error) {
			if _, raw, err = object[T](response); err != nil {
				return err
			}
			return checkID(raw, r.path[len(r.path)-1], c.maskOutside)
		}
		err = c.do(ctx, r)
		return raw, err
	})
	if interrupted != nil {
		return nil, c.interrupted(ctx, r.operation, r.subject)
	}
	if err != nil {
		return nil, err
	}
	return decode[T](raw, c.maskOutside)
}
