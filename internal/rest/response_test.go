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

// No member of a JSON response is taken for another, no digit is lost, nothing of it can stop the
// program, and nothing may follow it.
func TestResponseJSONIsReadExactly(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, test := range map[string]struct{ body, want string }{
		"names to the letter":     {`{"Name":1,"name":2,"NAME":3,"n\u0061me2":4}`, `map[NAME:3 Name:1 name:2 name2:4]`},
		"the last of two members": {`{"a":1,"b":{"c":1},"a":null,"b":{"d":3}}`, `map[a:<nil> b:map[d:3]]`},
		"not UTF-8":               {"{\"a\xff\":\"b\xc3\",\"c\":\"\\ud800\"}", "map[a\ufffd:b\ufffd c:\ufffd]"},
		"numbers as spelled":      {`[1.50,-0,9007199254740993,1E+2,1e999999999,` + strings.Repeat("7", 99) + `]`, `[1.50 -0 9007199254740993 1E+2 1e999999999 ` + strings.Repeat("7", 99) + `]`},
		"white space around":      {" \r\n\t{} \r\n\t", `map[]`},
		"deep":                    {nested(10_000), nested(10_000)},
		"far too deep":            {strings.Repeat("[", 1<<20), `no JSON at 10000`},
		"text":                    {`no`, `no JSON at 1`},
		"a value after":           {`{} {}`, `map[], no JSON at 3`},
		"cut in a name":           {`{"a`, `cut`},
		"cut after a member":      {`{"a":"b"`, `cut`},
		"white space":             {" \n", `empty`},
	} {
		r := &Response{Body: []byte(test.body)}
		r.decode()
		got := strings.TrimPrefix(fmt.Sprint(r.Value), "<nil>")
		switch syntactic := new(json.SyntaxError); {
		case errors.Is(r.Malformed, io.ErrUnexpectedEOF):
			got += "cut"
		case errors.Is(r.Malformed, io.EOF):
			got += "empty"
		case errors.As(r.Malformed, &syntactic):
			got = strings.TrimPrefix(fmt.Sprint(got, ", no JSON at ", syntactic.Offset-1), ", ")
		}
		if got != test.want {
			t.Errorf("%s: %.200s, want %.200s", name, got, test.want)
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
