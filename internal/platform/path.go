package platform

import (
	"fmt"

	"github.com/google/uuid"
)

// id is an id in a path, and what it is called.
type id struct{ name, value string }

// checkIDs refuses ids that are no UUID in the form the API document shows, 36
// characters with dashes; the other forms that the library reads as well would
// make another path.
func checkIDs(operation string, ids ...id) error {
	for _, id := range ids {
		if len(id.value) != 36 || uuid.Validate(id.value) != nil {
			return fmt.Errorf("%s: the %s %q is not a UUID", operation, id.name, id.value)
		}
	}
	return nil
}

// acceptRaw keeps the JSON of a resource that can be decoded as a T.
func acceptRaw[T any](target *[]byte, member string) func(*answer) error {
	return func(a *answer) error {
		raw, err := a.object(member)
		if err != nil {
			return err
		}
		if _, err := decode[T](raw); err != nil {
			return err
		}
		*target = raw
		return nil
	}
}

// acceptInto decodes a resource.
func acceptInto[T any](target **T, member string) func(*answer) error {
	return func(a *answer) error {
		raw, err := a.object(member)
		if err != nil {
			return err
		}
		read, err := decode[T](raw)
		if err != nil {
			return err
		}
		*target = read
		return nil
	}
}

// unreadable is the error of an answer that was whole and makes no sense.
func (c *Client) unreadable(operation string, err error) error {
	return &Error{Operation: operation, Status: 200, Attempts: 1, class: classUnreadable, Err: err, mask: c.Mask}
}
