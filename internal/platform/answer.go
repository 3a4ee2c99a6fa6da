package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Caps on what is read of an answer, in bytes. Ten thousand services of full
// size are some 30 MB.
const (
	capList   = 256 << 20
	capObject = 16 << 20
	capError  = 64 << 10
)

// lenient reads answers that a stricter reader would refuse for what doesn't
// matter here. Names stay case-sensitive and unknown members are ignored,
// which is what the library does by default.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// answer is an HTTP answer, its body read through a cap.
type answer struct {
	status    int
	header    http.Header
	requestID string
	body      io.ReadCloser
	left      int64 // of the cap
	readErr   error // of the connection
	seen      bytes.Buffer
	keep      bool // keep what is read in seen
	inspect   func([]byte)
	mask      func(string) string
}

var errTooLong = errors.New("the answer is longer than anything the API document describes")

func newAnswer(response *http.Response, mask func(string) string) *answer {
	return &answer{
		status:    response.StatusCode,
		header:    response.Header,
		requestID: response.Header.Get("X-Request-Id"),
		body:      response.Body,
		left:      capObject,
		mask:      mask,
	}
}

// Read reads the body through the cap.
func (a *answer) Read(p []byte) (int, error) {
	if a.left <= 0 {
		return 0, errTooLong
	}
	n, err := a.body.Read(p[:min(int64(len(p)), a.left)])
	a.left -= int64(n)
	if a.keep {
		a.seen.Write(p[:n])
	}
	if err != nil && err != io.EOF {
		a.readErr = err
	}
	return n, err
}

// cut says whether an error comes from an answer that broke off: in the
// connection, or in the middle of its JSON.
func (a *answer) cut(err error) bool {
	return a.readErr != nil || errors.Is(err, io.ErrUnexpectedEOF)
}

// drain reads a little of what is left, so that the connection can be used
// again; one with much left is cheaper to close.
func (a *answer) drain() {
	_, _ = io.CopyN(io.Discard, a.body, 16<<10)
}

// envelope reads a JSON object and hands the member of the given name to
// result. Other members are skipped but for the two of the management API's
// envelope.
func (a *answer) envelope(name string, result func(*jsontext.Decoder) error) error {
	decoder := jsontext.NewDecoder(a, lenient)
	if err := a.open(decoder); err != nil {
		return err
	}
	var (
		status float64
		said   any
		found  bool
	)
	for decoder.PeekKind() == '"' {
		member, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		switch member := member.String(); {
		case member == name && decoder.PeekKind() != 'n':
			found = true
			err = result(decoder)
		case member == "status" && name == "result":
			err = readInto(decoder, &status)
		case member == "requestId" && name == "result":
			err = readInto(decoder, &a.requestID)
		case member == "error" || member == "message":
			err = readInto(decoder, &said)
		default:
			err = decoder.SkipValue()
		}
		if err != nil {
			return shorten(err)
		}
	}
	if err := a.close(decoder); err != nil {
		return err
	}
	words := ""
	if text := nested(said, 0).clean(a.mask); text != "" {
		words = ": " + text
	}
	switch {
	case status >= 400:
		return fmt.Errorf("it contradicts itself: HTTP %d, but its envelope has status %v%s", a.status, status, words)
	case !found:
		return fmt.Errorf("it has no %q%s", name, words)
	}
	return nil
}

// open reads the opening brace of an answer.
func (a *answer) open(decoder *jsontext.Decoder) error {
	switch decoder.PeekKind() {
	case '{':
		_, err := decoder.ReadToken()
		return err
	case jsontext.KindInvalid:
		_, err := decoder.ReadToken()
		switch {
		case a.readErr != nil || errors.Is(err, errTooLong):
			return err
		case errors.Is(err, io.EOF):
			return errors.New("an empty answer")
		}
		if page := describePage(a.header, decoder.UnreadBuffer(), a.mask); page != "" {
			return errors.New(page)
		}
		return shorten(err)
	default:
		return errors.New("JSON, but not an object")
	}
}

// close reads the closing brace of an answer, and the end of its body.
func (a *answer) close(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); err != nil { // the closing brace
		return shorten(err)
	}
	switch _, err := decoder.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case a.readErr != nil:
		return a.readErr
	default:
		return errors.New("something follows its JSON")
	}
}

// readInto reads a value of the envelope that is good to have; one of another
// type is passed over.
func readInto[T any](decoder *jsontext.Decoder, target *T) error {
	value, err := decoder.ReadValue()
	if err != nil {
		return err
	}
	var read T
	if json.Unmarshal(value, &read, lenient) == nil {
		*target = read
	}
	return nil
}

// object reads the member of the given name, which has to be an object, and
// returns its JSON.
func (a *answer) object(name string) (jsontext.Value, error) {
	var object jsontext.Value
	err := a.envelope(name, func(decoder *jsontext.Decoder) error {
		if decoder.PeekKind() != '{' {
			return wrongShape(decoder, name, "an object")
		}
		value, err := decoder.ReadValue()
		object = value.Clone()
		return err
	})
	return object, err
}

func wrongShape(decoder *jsontext.Decoder, name, wanted string) error {
	kind := decoder.PeekKind()
	if _, err := decoder.ReadValue(); err != nil {
		return err
	}
	return fmt.Errorf("its %q is not %s but %s", name, wanted, kindName(kind))
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
	default:
		return kind.String()
	}
}

// decode reads one resource from its JSON.
func decode[T any](value jsontext.Value) (*T, error) {
	resource := new(T)
	if err := json.Unmarshal(value, resource, lenient); err != nil {
		return nil, shorten(err)
	}
	return resource, nil
}

// shorten tells what is wrong with JSON and where, without the library's and
// Go's names.
func shorten(err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		what := "has a value that can't be read"
		if semantic.JSONKind != 0 {
			what = "is " + kindName(semantic.JSONKind) + ", which the API document doesn't say"
		}
		return &badJSON{fmt.Sprintf("%q %s", string(semantic.JSONPointer), what), err}
	}
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return &badJSON{"its JSON is cut short", err}
		}
		return &badJSON{fmt.Sprintf("it is not JSON (at byte %d)", syntactic.ByteOffset), err}
	}
	return err
}

// badJSON keeps the reason of an error and replaces its words.
type badJSON struct {
	text string
	err  error
}

func (e *badJSON) Error() string { return e.text }
func (e *badJSON) Unwrap() error { return e.err }

// encode writes a body. What the types of this package hold can always be
// written, but for numbers JSON has no spelling for.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the body can't be written as JSON: %w", err)
	}
	return b, nil
}

func list(names []string) string {
	switch len(names) {
	case 1:
		return names[0] + " is"
	default:
		return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + " are"
	}
}
