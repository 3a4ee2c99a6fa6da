package platform

import (
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
