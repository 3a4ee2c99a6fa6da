package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What tests share about pipes: their documents on the platform, their configuration,
// and the requests about them.

type object = map[string]any

// setMember sets the member of a document at the end of a dotted path, or
// takes it away where value is nil.
func setMember(doc mockplatform.Document, path string, value any) {
	names := strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		child, ok := doc[name].(mockplatform.Document)
		if !ok {
			child = mockplatform.Document{}
			doc[name] = child
		}
		doc = child
	}
	last := names[len(names)-1]
	if value == nil {
		delete(doc, last)
		return
	}
	doc[last] = value
}

// member is the member of a JSON value at the end of a dotted path, or nil.
func member(value any, path string) any {
	for _, name := range strings.Split(path, ".") {
		parent, ok := value.(object)
		if !ok {
			return nil
		}
		value = parent[name]
	}
	return value
}

// fromJSON reads JSON with the digits of its numbers.
func fromJSON(t *testing.T, text string) any {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// onePipe is a resource block of that name, for a pipe of the first service.
func onePipe(name, id, arguments string) string {
	return fmt.Sprintf("resource \"dataplatform_pipe\" %q {\n  service_id = %q\n  pipe_id    = %q\n%s\n}\n",
		name, mockplatform.ServiceID, id, arguments)
}

func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteString(strings.ToLower(string(r)))
	}
	return b.String()
}
