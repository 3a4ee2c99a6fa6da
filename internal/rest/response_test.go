package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// No member of a JSON response is taken for another, no digit is lost, and nothing of it can stop the
// program.
func TestResponseJSONIsReadExactly(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"Name":1,"name":2,"NAME":3}`:        `map[NAME:3 Name:1 name:2]`,
		`[1.50,9007199254740993,1e999999999]`: `[1.50 9007199254740993 1e999999999]`,
		"{\"a\xff\":\"\\ud800\"} \r\n\t":      "map[a\ufffd:\ufffd]",
		strings.Repeat("[", 1<<20):            `no JSON`,
		`{"a":"b"`:                            `cut`,
		" \n":                                 `empty`,
	} {
		r := &Response{Status: 200, Secrets: new(Secrets)}
		r.read(strings.NewReader(body), maxBody)
		got := strings.TrimPrefix(fmt.Sprint(r.Value), "<nil>")
		switch {
		case errors.Is(r.Malformed, io.ErrUnexpectedEOF):
			got += "cut"
		case errors.Is(r.Malformed, io.EOF):
			got += "empty"
		case errors.As(r.Malformed, new(*json.SyntaxError)):
			got += "no JSON"
		}
		if got != want {
			t.Errorf("%.80s: %.200s, want %.200s", body, got, want)
		}
	}
}

// JSON that would take too much memory is not decoded, in whatever form it has its values.
func TestMaximumMemory(t *testing.T) {
	t.Parallel()
	for unit, most := range map[string]int{`{"":{}},`: 838_860, `[],`: 2_796_202, `1,`: 4_194_303} {
		for n, isCut := range map[int]bool{most: false, most + 1: true} {
			r := &Response{Status: 200}
			r.read(strings.NewReader("["+strings.Repeat(unit, n)+"1]"), 64<<20)
			if (r.Cut != nil) != isCut || (r.Malformed != nil) != isCut || (r.Value == nil) != isCut {
				t.Errorf("%d of %s: %v, %v", n, unit, r.Cut, r.Malformed)
			}
		}
	}
}

// A response that is larger than the maximum size is cut there, and none before.
func TestMaximumSize(t *testing.T) {
	t.Parallel()
	body := bytes.Repeat([]byte("x"), maxBody+2)
	for status, maximum := range map[int]int{199: maxError, 200: maxBody, 299: maxBody, 300: maxError} {
		for size, isCut := range map[int]bool{maximum: false, maximum + 2: true} {
			r := &Response{Status: status}
			r.read(bytes.NewReader(body[:size]), maxBody)
			if (r.Cut != nil) != isCut || len(r.Body) != min(size, maximum+1) {
				t.Errorf("%d with %d bytes: %d, %v", status, size, len(r.Body), r.Cut)
			}
		}
	}
}
