package rest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// What the provider relies on of the JSON of a response: no member is taken for another, no
// digit is lost, nothing of it can stop the program, and nothing may follow it.
func TestResponseJSONIsReadExactly(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for name, test := range map[string]struct{ body, want string }{
		"names to the letter":      {`{"Name":1,"name":2,"NAME":3,"n\u0061me2":4}`, `map[NAME:3 Name:1 name:2 name2:4]`},
		"the last of two members":  {`{"a":1,"b":{"c":1},"a":[2],"b":{"d":3}}`, `map[a:[2] b:map[d:3]]`},
		"a null after a value":     {`{"a":1,"a":null}`, `map[a:<nil>]`},
		"not UTF-8":                {"{\"a\xff\":\"b\xc3\",\"c\":\"\\ud800\"}", "map[a\ufffd:b\ufffd c:\ufffd]"},
		"numbers as spelled":       {`[1.50,-0,9007199254740993,1E+2,0.1]`, `[1.50 -0 9007199254740993 1E+2 0.1]`},
		"numbers of any size":      {`[1e999999999,1e-999999999,` + strings.Repeat("7", 99) + `]`, `[1e999999999 1e-999999999 ` + strings.Repeat("7", 99) + `]`},
		"white space around":       {" \r\n\t{} \r\n\t", `map[]`},
		"null":                     {`null`, `<nil>`},
		"deep":                     {nested(10_000), nested(10_000)},
		"too deep":                 {nested(10_003), `no JSON at 10000`},
		"far too deep":             {strings.Repeat("[", 5<<20), `no JSON at 10000`},
		"text":                     {`no`, `no JSON at 1`},
		"text within":              {`{"a":tru}`, `no JSON at 8`},
		"broken in what is unused": {`{"a":1,"b":[}`, `no JSON at 12`},
		"a value after":            {`{} {}`, `no JSON at 3`},
		"a brace after":            {`{}}`, `no JSON at 2`},
		"text after":               {`{"a":1} and more`, `no JSON at 8`},
		"cut in a name":            {`{"a`, `cut`},
		"cut after a name":         {`{"a"`, `cut`},
		"cut in a string":          {`{"a":"b`, `cut`},
		"cut after a member":       {`{"a":"b"`, `cut`},
		"cut in a literal":         {`{"a":tr`, `cut`},
		"empty":                    {"", `empty`},
		"white space":              {" \n", `empty`},
	} {
		value, err := (&Response{Body: []byte(test.body)}).JSON()
		got := fmt.Sprint(value)
		switch syntactic := new(json.SyntaxError); {
		case errors.Is(err, io.ErrUnexpectedEOF):
			got = "cut"
		case errors.Is(err, io.EOF):
			got = "empty"
		case errors.As(err, &syntactic):
			got = fmt.Sprint("no JSON at ", syntactic.Offset-1)
		case err != nil:
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %.200s, want %.200s", name, got, test.want)
		}
	}
}
