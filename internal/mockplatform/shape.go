package mockplatform

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

// kind is a JSON type, as an error message names it.
type kind string

const (
	aString  kind = "a string"
	aNumber  kind = "a number"
	aWhole   kind = "a whole number"
	aBoolean kind = "a boolean"
	anArray  kind = "an array"
	anObject kind = "an object"
)

// shape describes one value of a request: what is allowed, and what becomes of
// it. Every request body is checked, stored and reset by walking its shape, so
// a new member is a line in shapes.go.
type shape struct {
	kind     kind
	members  map[string]*shape // of an object
	required []string          // of an object
	element  *shape            // of an array
	nullable bool
	enum     []string
	minItems int
	// lowest, highest and multiple bound a number where they aren't 0.
	lowest, highest, multiple float64
	date                      bool // RFC 3339; empty stands for none
	filled                    bool // a string that may not be empty
	// aside marks what isn't a member of the stored document: secrets, and
	// what only orders the platform to do something.
	aside bool
	// secret is kept for tests, whether or not it is part of the document too.
	secret bool
	// initial is what a reset puts back.
	initial any
}

// invalid says which member of a request is at fault.
type invalid struct{ path, message string }

func (e *invalid) Error() string {
	if e.path == "" {
		return e.message
	}
	return e.path + ": " + e.message
}

// check reports the first thing that is wrong with a value.
func (s *shape) check(path string, value any) error {
	if value == nil && s.nullable {
		return nil
	}
	if !s.kind.holds(value) {
		return &invalid{path, "must be " + string(s.kind)}
	}
	switch value := value.(type) {
	case Document:
		return s.checkObject(path, value)
	case []any:
		return s.checkArray(path, value)
	case string:
		return s.checkString(path, value)
	case json.Number:
		return s.checkNumber(path, value)
	}
	return nil
}

func (k kind) holds(value any) bool {
	switch value := value.(type) {
	case Document:
		return k == anObject
	case []any:
		return k == anArray
	case string:
		return k == aString
	case bool:
		return k == aBoolean
	case json.Number:
		if k == aWhole {
			number, err := value.Float64()
			return err == nil && number == math.Trunc(number)
		}
		return k == aNumber
	default:
		return false
	}
}

func (s *shape) checkObject(path string, object Document) error {
	for _, name := range s.required {
		if _, ok := object[name]; !ok {
			return &invalid{join(path, name), "is required"}
		}
	}
	for _, name := range sortedNames(object) {
		member, known := s.members[name]
		if !known {
			return &invalid{join(path, name), "unknown member"}
		}
		if err := member.check(join(path, name), object[name]); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) checkArray(path string, array []any) error {
	if len(array) < s.minItems {
		return &invalid{path, fmt.Sprintf("must have at least %d element", s.minItems)}
	}
	for i, element := range array {
		if err := s.element.check(fmt.Sprintf("%s[%d]", path, i), element); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) checkString(path, value string) error {
	if s.filled && value == "" {
		return &invalid{path, "must not be empty"}
	}
	if s.enum != nil && !slices.Contains(s.enum, value) {
		return &invalid{path, fmt.Sprintf("must be one of %q", s.enum)}
	}
	if s.date && value != "" {
		if _, err := time.Parse(time.RFC3339, value); err != nil {
			return &invalid{path, "must be an RFC 3339 date-time"}
		}
	}
	return nil
}

func (s *shape) checkNumber(path string, value json.Number) error {
	number, err := value.Float64()
	switch {
	case err != nil:
		return &invalid{path, "is out of range"}
	case s.lowest != 0 && number < s.lowest:
		return &invalid{path, fmt.Sprintf("must be at least %v", s.lowest)}
	case s.highest != 0 && number > s.highest:
		return &invalid{path, fmt.Sprintf("must be at most %v", s.highest)}
	case s.multiple != 0 && math.Mod(number, s.multiple) != 0:
		return &invalid{path, fmt.Sprintf("must be a multiple of %v", s.multiple)}
	}
	return nil
}

// empty is the value of this shape that holds nothing.
func (s *shape) empty() any {
	switch s.kind {
	case aString:
		return ""
	case aNumber, aWhole:
		return json.Number("0")
	case aBoolean:
		return false
	case anArray:
		return []any{}
	default:
		return Document{}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func sortedNames[V any](object map[string]V) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
