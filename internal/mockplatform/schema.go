package mockplatform

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// schema describes one value of a request body with keywords of JSON Schema and
// OpenAPI. Every body is checked, merged and reset by its schema in the directory
// bodies, so a new member needs one line there. Unknown members are rejected.
type schema struct {
	Type       string             `json:"type"` // string, number, integer, boolean, array or object
	Properties map[string]*schema `json:"properties"`
	Required   []string           `json:"required"`
	Items      *schema            `json:"items"`
	Nullable   bool               `json:"nullable"`
	Enum       []string           `json:"enum"`
	MinItems   int                `json:"minItems"`
	Format     string             `json:"format"` // date-time: RFC 3339, or empty for none
	Minimum    *float64           `json:"minimum"`
	Maximum    *float64           `json:"maximum"`
	MultipleOf float64            `json:"multipleOf"` // 0 means any
	// WriteOnly marks what is not stored in the document: secrets and instructions
	// to the platform.
	WriteOnly bool `json:"writeOnly"`
	// Default is the value that a reset stores.
	Default any `json:"default"`
}

//go:embed bodies
var bodyFiles embed.FS

var (
	scalingBody = mustReadSchema("bodies/scaling.json")
	keyBody     = mustReadSchema("bodies/key.json")
	pipeBody    = mustReadSchema("bodies/pipe.json")
)

func mustReadSchema(file string) *schema {
	content, err := bodyFiles.ReadFile(file)
	if err != nil {
		panic(err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	decoder.DisallowUnknownFields()
	out := &schema{}
	if err := decoder.Decode(out); err != nil {
		panic(fmt.Sprintf("%s: %v", file, err))
	}
	return out
}

// check reports the first mistake in a value.
func (s *schema) check(path string, value any) error {
	switch value := value.(type) {
	case nil:
		if s.Nullable {
			return nil
		}
	case bool:
		if s.Type == "boolean" {
			return nil
		}
	case string:
		if s.Type == "string" {
			return s.checkString(path, value)
		}
	case json.Number:
		if s.Type == "number" || s.Type == "integer" {
			return s.checkNumber(path, value)
		}
	case []any:
		if s.Type == "array" {
			return s.checkArray(path, value)
		}
	case Document:
		if s.Type == "object" {
			return s.checkObject(path, value)
		}
	}
	return invalid(path, "must be of type %s", s.Type)
}

// invalid reports an invalid member of a request.
func invalid(path, format string, args ...any) error {
	return fmt.Errorf("%s "+format, append([]any{cmp.Or(path, "the body")}, args...)...)
}

func (s *schema) checkObject(path string, object Document) error {
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return invalid(join(path, name), "is required")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) { // so that messages are reproducible
		member := s.Properties[name]
		if member == nil {
			return invalid(join(path, name), "is not a known member")
		}
		if err := member.check(join(path, name), object[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) checkArray(path string, array []any) error {
	if len(array) < s.MinItems {
		return invalid(path, "must have at least %d element", s.MinItems)
	}
	for i, element := range array {
		if err := s.Items.check(fmt.Sprintf("%s[%d]", path, i), element); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) checkString(path, value string) error {
	if s.Enum != nil && !slices.Contains(s.Enum, value) {
		return invalid(path, "must be one of %q", s.Enum)
	}
	if s.Format == "date-time" && value != "" {
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			return invalid(path, "must be an RFC 3339 date-time")
		}
	}
	return nil
}

func (s *schema) checkNumber(path string, value json.Number) error {
	number, err := value.Float64()
	switch {
	case err != nil:
		return invalid(path, "is out of range")
	case s.Type == "integer" && number != math.Trunc(number):
		return invalid(path, "must be of type integer")
	case s.Minimum != nil && number < *s.Minimum:
		return invalid(path, "must be at least %v", *s.Minimum)
	case s.Maximum != nil && number > *s.Maximum:
		return invalid(path, "must be at most %v", *s.Maximum)
	case s.MultipleOf != 0 && math.Mod(number, s.MultipleOf) != 0:
		return invalid(path, "must be a multiple of %v", s.MultipleOf)
	}
	return nil
}

// emptyValues are the values that a reset stores if there is no default.
var emptyValues = map[string]any{
	"string": "", "number": json.Number("0"), "integer": json.Number("0"), "boolean": false, "array": []any{}, "object": Document{},
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
