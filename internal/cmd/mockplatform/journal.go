package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// printer returns a function that prints a line for each request, and one for its
// body. Requests may end at the same time.
func printer(stdout io.Writer) func(mockplatform.Request) {
	var mu sync.Mutex
	return func(r mockplatform.Request) {
		path := r.Path
		if len(r.Query) > 0 {
			path += "?" + r.Query.Encode()
		}
		status := fmt.Sprint(r.Status)
		if r.Status == 0 {
			status = "(no response)"
		}
		mu.Lock()
		defer mu.Unlock()
		_, _ = fmt.Fprintf(stdout, "%s %-5s %s %s\n", r.Time.Format("15:04:05.000"), r.Method, path, status)
		if r.Body != "" {
			_, _ = fmt.Fprintf(stdout, "  %s\n", masked(r.Body))
		}
	}
}

// secretMembers are the members of requests of which no text is printed.
var secretMembers = []string{"credentials", "accessKey", "connectionString", "hashData"}

// masked returns a body on one line, with secrets replaced.
func masked(body string) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader([]byte(body)))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return fmt.Sprintf("(%d bytes that are not JSON)", len(body))
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(mask(value, false)) // a decoded value can be encoded
	return string(bytes.TrimSpace(out.Bytes()))
}

func mask(value any, secret bool) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			value[name] = mask(member, secret || slices.Contains(secretMembers, name))
		}
	case []any:
		for i, element := range value {
			value[i] = mask(element, secret)
		}
	case string:
		if secret {
			return "***"
		}
	}
	return value
}
