package mockplatform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Document is one JSON object as it is stored and sent. Numbers are json.Number,
// so that they keep their digits.
type Document = map[string]any

// decode reads exactly one JSON value, and names the line of a mistake.
func decode(text []byte) (any, error) {
	syntactic := new(json.SyntaxError)
	if err := json.Unmarshal(text, new(json.RawMessage)); errors.As(err, &syntactic) {
		line := 1 + bytes.Count(text[:syntactic.Offset], []byte("\n"))
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// encode omits encoding/json's escapes for HTML, which few services send.
func encode(value any) []byte {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		// Only a Go value from a test can fail.
		panic(fmt.Sprintf("mockplatform: cannot represent a value as JSON: %v", err))
	}
	return bytes.TrimSuffix(buffer.Bytes(), []byte("\n"))
}

// normalize converts Go values of a test (int, []string, nested maps) to what
// decode returns. The result is a deep copy.
func normalize(value any) any {
	out, _ := decode(encode(value))
	return out
}

func normalizeDocument(doc Document) Document { return asDocument(normalize(doc)) }

// clone returns a deep copy of a decoded value.
func clone(value any) any {
	switch value := value.(type) {
	case Document:
		out := make(Document, len(value))
		for name, member := range value {
			out[name] = clone(member)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, element := range value {
			out[i] = clone(element)
		}
		return out
	default:
		return value
	}
}

func cloneDocument(doc Document) Document { return asDocument(clone(doc)) }

// lookup finds a member by a path such as "source.kafka.iamRole".
func lookup(doc Document, path string) (any, bool) {
	parent, name := walk(doc, path)
	value, ok := parent[name]
	return value, ok
}

// walk returns the object that holds the last member of a path, nil if there is
// none, and the member's name.
func walk(doc Document, path string) (Document, string) {
	steps := strings.Split(path, ".")
	last := len(steps) - 1
	for _, step := range steps[:last] {
		doc = asDocument(doc[step])
	}
	return doc, steps[last]
}

// asDocument, asList and text return an empty value for one of another type.

func asDocument(value any) Document {
	doc, _ := value.(Document)
	return doc
}

func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

func text(doc Document, name string) string {
	value, _ := doc[name].(string)
	return value
}
