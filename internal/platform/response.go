package platform

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// errNoResult is wrapped by the errors of responses that have no result and are fine
// otherwise.
var errNoResult = errors.New("no result")

// read reads the result of a success, which is the given member of its envelope
// ("Response envelope" in the API document; the alerting API has only the result).
func read(r *rest.Response, member string) (jsontext.Value, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	return result(r, raw, member)
}

// result is the result in the body of a success. It also reads the status, the request
// ID, and the message of an error.
func result(r *rest.Response, raw []byte, member string) (jsontext.Value, error) {
	var envelope map[string]jsontext.Value
	if err := json.Unmarshal(raw, &envelope, rest.Lenient); err != nil || envelope == nil {
		return nil, notAnEnvelope(r, raw, err)
	}
	var status float64
	if member == "result" {
		_ = json.Unmarshal(envelope["status"], &status) // optional, and so are all below
		var id string
		_ = json.Unmarshal(envelope["requestId"], &id, rest.Lenient)
		r.RequestID = cmp.Or(rest.Clean(r.Mask(id), rest.MaxID), r.RequestID)
	}
	failed := messageIn(envelope["error"], r.Mask)
	message := cmp.Or(failed, messageIn(envelope["message"], r.Mask))
	if message != "" {
		message = ": " + message
	}
	value := envelope[member]
	switch missing := value == nil || value.Kind() == 'n'; {
	case status >= 400:
		return nil, fmt.Errorf("it contradicts itself: HTTP %d, but its envelope has status %v%s", r.Status, status, message)
	case missing && failed == "":
		return nil, &rest.Reworded{Text: fmt.Sprintf("it has no %q%s", member, message), Err: errNoResult}
	case missing:
		return nil, fmt.Errorf("it has no %q%s", member, message)
	}
	return value, nil
}

func messageIn(value jsontext.Value, mask func(string) string) string {
	var decoded any
	_ = json.Unmarshal(value, &decoded, rest.Lenient)
	return rest.MessageIn(decoded, mask)
}

// notAnEnvelope says what a body is instead of a JSON object. The words of the library
// are omitted.
func notAnEnvelope(r *rest.Response, raw []byte, err error) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		return &rest.Reworded{Text: "it is empty", Err: errNoResult}
	}
	syntactic := new(jsontext.SyntacticError)
	page := rest.DescribePage(r, raw)
	switch {
	case !errors.As(err, &syntactic):
		return errors.New("it is JSON, but not an object")
	case page != "":
		return errors.New(page)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &rest.Reworded{Text: "its JSON is cut short", Err: err}
	default:
		return &rest.Reworded{Text: fmt.Sprintf("it is not JSON (at byte %d)", syntactic.ByteOffset), Err: err}
	}
}

// object reads a success whose result is the object with this ID, and returns its JSON.
func object[T any](r *rest.Response, member, id string) (*T, jsontext.Value, error) {
	raw, err := read(r, member)
	if err != nil {
		return nil, nil, err
	}
	if err := checkKind(raw, '{', member); err != nil {
		return nil, nil, err
	}
	object, err := decode[T](raw, r.Mask)
	if err != nil {
		return nil, nil, err
	}
	return object, raw, checkID(raw, id, r.Mask)
}

// intoOptional returns an accept function for a result that is the object with this
// ID. A response without a result leaves target nil.
func intoOptional[T any](target **T, member, id string) func(*rest.Response) error {
	return func(r *rest.Response) (err error) {
		if *target, _, err = object[T](r, member, id); errors.Is(err, errNoResult) {
			return nil
		}
		return err
	}
}

// checkKind rejects a result of another type.
func checkKind(value jsontext.Value, kind jsontext.Kind, member string) error {
	if value.Kind() == kind {
		return nil
	}
	return fmt.Errorf("its %q is %s instead of %s", member, kindName(value.Kind()), kindName(kind))
}

// checkID rejects an object with another ID than the requested one. UUIDs are
// compared in any letter case. An object without an ID is accepted.
func checkID(object jsontext.Value, requested string, mask func(string) string) error {
	var returned struct {
		ID *string `json:"id"`
	}
	_ = json.Unmarshal(object, &returned, rest.Lenient) // it was decoded before
	switch id := returned.ID; {
	case id == nil, *id == requested, rest.IsUUID(requested) && strings.EqualFold(*id, requested):
		return nil
	default:
		return fmt.Errorf("it is about another object: the request was for ID %s, and the response has ID %s", requested, rest.Clean(mask(*id), rest.MaxID))
	}
}

// decode reads one object from its JSON. What an error repeats of it is masked.
func decode[T any](value jsontext.Value, mask func(string) string) (*T, error) {
	object := new(T)
	err := json.Unmarshal(value, object, rest.Lenient)
	if other := new(json.SemanticError); errors.As(err, &other) {
		return nil, &rest.Reworded{Text: otherType(other, value, mask), Err: err}
	}
	return object, err
}

// otherType says which field has another type than the API document, and what came.
func otherType(e *json.SemanticError, value jsontext.Value, mask func(string) string) string {
	field := ""
	for token := range e.JSONPointer.Tokens() {
		if value.Kind() == '[' {
			var all []jsontext.Value
			_ = json.Unmarshal(value, &all, rest.Lenient) // it was read before
			at, _ := strconv.Atoi(token)
			value = all[at]
			field += "[" + token + "]"
		} else {
			value = members(value)[token]
			field += "." + token
		}
	}
	field = strings.TrimPrefix(field, ".")
	if errors.Is(e, errOutOfRange) {
		return fmt.Sprintf("%q is a number that is out of range", field)
	}
	came, documented := kindName(value.Kind()), documentedType(e.GoType)
	// Secrets are strings in the API document: where it has one, the value stays out.
	if documented != "a string" && value.Kind() != '{' && value.Kind() != '[' {
		came += " (" + rest.Clean(mask(string(value)), 40) + ")"
	}
	return fmt.Sprintf("%q is %s, and the API document has %s", field, came, documented)
}

// documentedType is the type of the API document that a Go type stands for.
func documentedType(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Number]():
		return "a number"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "a boolean"
	case t.Kind() == reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

func kindName(kind jsontext.Kind) string {
	switch kind {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 't', 'f':
		return "a boolean"
	default:
		return kind.String()
	}
}

// members returns the members of an object; none if value is not an object.
func members(value jsontext.Value) map[string]jsontext.Value {
	var all map[string]jsontext.Value
	_ = json.Unmarshal(value, &all, rest.Lenient)
	return all
}
