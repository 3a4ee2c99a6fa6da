package platform

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// errNoResult is wrapped by the error of a response that has no result and is otherwise as
// documented, so that the API has accepted the request.
var errNoResult = errors.New("no result")

// successful returns the envelope of a success, of which the given member is the result ("Response
// envelope" in the API document). It also reads the status and the message of an error, both optional.
func successful(r *rest.Response, member string) (map[string]any, error) {
	if !r.IsSuccess() {
		return nil, fmt.Errorf("it has HTTP status %d", r.Status)
	}
	if r.Cut != nil {
		return nil, r.Cut
	}
	envelope := members(r.Value)
	if envelope == nil || r.Malformed != nil {
		return nil, &rest.Reworded{Text: "it is not a JSON object", Err: r.Malformed}
	}
	number, _ := envelope["status"].(json.Number)
	status, _ := number.Float64()
	failed := r.MessageIn([]any{envelope["error"], envelope["errors"]})
	message := cmp.Or(failed, r.MessageIn(envelope["message"]))
	if message != "" {
		message = ": " + message
	}
	switch err := fmt.Errorf("it has no %q%s", member, message); {
	case status >= 400:
		return nil, fmt.Errorf("it contradicts itself: HTTP %d, but its envelope has status %v%s", r.Status, status, message)
	case envelope[member] != nil:
		return envelope, nil
	case failed == "" && r.IsOwn:
		return nil, &rest.Reworded{Text: err.Error(), Err: errNoResult}
	default:
		return nil, err
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
	value := members(object)["id"]
	id, isText := value.(string)
	switch {
	case value == nil, id == requested, words.IsUUID(requested) && strings.EqualFold(id, requested):
		return nil
	case !isText:
		return errors.New("the ID of its object is not a text")
	default:
		return fmt.Errorf("it is about another object: the request was for ID %s, and the response has ID %s", requested, r.Clean(id, words.MaxID))
	}
}

// members returns the members of an object; nil if value is not an object.
func members(value any) map[string]any {
	all, _ := value.(map[string]any)
	return all
}
