package platform

import (
	"errors"
	"fmt"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// successful returns the envelope of a success, of which the given member is the result ("Response
// envelope" in the API document).
func successful(r *rest.Response, member string) (map[string]any, error) {
	envelope := members(r.Value)
	switch {
	case !r.IsSuccess():
		return nil, fmt.Errorf("it has HTTP status %d", r.Status)
	case r.Cut != nil:
		return nil, r.Cut
	case envelope == nil:
		return nil, &rest.Reworded{Text: "it is not a JSON object", Err: r.Malformed}
	case envelope[member] == nil:
		return nil, fmt.Errorf("it has no %q: %s", member, r.Message())
	default:
		return envelope, nil
	}
}

// accept returns a Request.Accept for a result, the given member, that is the object with this ID.
func accept(member, id string, read Read) func(*rest.Response) error {
	return func(r *rest.Response) error {
		envelope, err := successful(r, member)
		if err != nil {
			return err
		}
		if err := checkID(envelope[member], id, r); err != nil {
			return err
		}
		return read(envelope[member])
	}
}

// checkID rejects an object with another ID than the requested one. UUIDs are equal in
// any letter case. An object without an ID is accepted.
func checkID(object any, requested string, r *rest.Response) error {
	id := members(object)["id"]
	if id == nil || strings.EqualFold(fmt.Sprint(id), requested) {
		return nil
	}
	return fmt.Errorf("it is about another object: the request was for ID %s, and the response has ID %s", requested, r.Clean(fmt.Sprint(id), words.MaxID))
}

// members returns the members of an object; nil if value is not an object.
func members(value any) map[string]any {
	all, _ := value.(map[string]any)
	return all
}

// Error is the error of an operation whose settings and IDs were valid.
type Error = rest.Error

// AsError returns the error of an operation; an empty one if err is another error, or nil. NotFound: the
// API returned a 404 of its own, or two consecutive lists of services omit the object.
func AsError(err error) *Error {
	e := new(Error)
	errors.As(err, &e)
	return e
}

// Absence returns why an error is NotFound, as the rest of a sentence: "the API returned
// HTTP 404 Not Found (request ID req-1): pipe not found.", or that two consecutive lists omit the
// object.
func Absence(err error) string {
	e := AsError(err)
	if e.Status == 0 {
		return "two consecutive lists of its services omit it."
	}
	return "the API returned " + e.Response() + ": " + strings.TrimRight(e.Cause(), ".: ") + "."
}
