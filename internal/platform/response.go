package platform

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Maximum size of a response, in bytes. Ten thousand services with every field
// are some 30 MB.
const (
	capList   = 256 << 20
	capObject = 16 << 20
	capError  = 64 << 10
)

// lenient accepts repeated names and invalid UTF-8 in responses, which do no harm
// here. By the library's defaults, names are case-sensitive and unknown members
// are ignored.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// response is an HTTP response whose body is read up to a maximum size.
type response struct {
	status    int
	header    http.Header
	requestID string
	member    string // of the body that contains the result
	body      io.ReadCloser
	limit     int64        // maximum size, in bytes
	left      int64        // bytes until then
	readErr   error        // of the connection
	keep      bool         // whether to keep what is read in seen
	seen      bytes.Buffer // what was read so far
	// arrivedUntil is when the last byte was read.
	arrivedUntil time.Time
	mask         func(string) string
}

// errNoResult is wrapped by the errors of responses that have no result and are fine
// otherwise.
var errNoResult = errors.New("no result")

// tooLarge is the error of a response beyond its maximum size, in bytes.
type tooLarge struct{ limit int64 }

func (e *tooLarge) Error() string {
	return fmt.Sprintf("it is larger than the provider accepts (%d MiB)", e.limit>>20)
}

func newResponse(r *http.Response, member string, mask func(string) string) *response {
	return &response{
		status:    r.StatusCode,
		header:    r.Header,
		requestID: cleanText(mask(r.Header.Get("X-Request-Id")), maxRequestID),
		member:    member,
		body:      r.Body,
		limit:     capObject,
		left:      capObject,
		mask:      mask,
	}
}

// Read reads the body up to the maximum size.
func (r *response) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, &tooLarge{r.limit}
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.left)])
	r.left -= int64(n)
	if n > 0 {
		r.arrivedUntil = time.Now()
	}
	if r.keep {
		r.seen.Write(p[:n])
	}
	if err != nil && err != io.EOF {
		r.readErr = err
	}
	return n, err
}

// isCut reports whether err comes from a response that was cut off, by the
// connection or in the middle of its JSON. A response of the maximum size was not
// cut off, even if the attempt timed out too.
func (r *response) isCut(err error) bool {
	return r.left > 0 && (r.readErr != nil || errors.Is(err, io.ErrUnexpectedEOF))
}

// drain reads a short rest of the body, so that the connection can be reused. With
// a long rest it is cheaper to close it.
func (r *response) drain() {
	if r.left > 0 {
		_, _ = io.CopyN(io.Discard, r.body, 16<<10)
	}
}

// envelope reads the envelope of a response ("Response envelope" in the API
// document; the alerting API has only the result) and calls read at the result. It
// also reads the status, the request ID, and the message of an error.
func (r *response) envelope(read func(*jsontext.Decoder) error) error {
	decoder := jsontext.NewDecoder(r, lenient)
	if err := r.open(decoder); err != nil {
		return err
	}
	var (
		status         float64
		problem, words any
		found          bool
	)
	for decoder.PeekKind() == '"' {
		member, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		switch name := member.String(); {
		case name == r.member && decoder.PeekKind() != 'n':
			found = true
			err = read(decoder)
		case name == "status" && r.member == "result":
			err = readOptional(decoder, &status)
		case name == "requestId" && r.member == "result":
			var id string
			err = readOptional(decoder, &id)
			r.requestID = cmp.Or(cleanText(r.mask(id), maxRequestID), r.requestID)
		case name == "error":
			err = readOptional(decoder, &problem)
		case name == "message":
			err = readOptional(decoder, &words)
		default:
			err = decoder.SkipValue()
		}
		if err != nil {
			return shorten(err)
		}
	}
	if err := r.close(decoder); err != nil {
		return err
	}
	failed := nested(problem, 0).clean(r.mask)
	message := cmp.Or(failed, nested(words, 0).clean(r.mask))
	if message != "" {
		message = ": " + message
	}
	switch {
	case status >= 400:
		return fmt.Errorf("it contradicts itself: HTTP %d, but its envelope has status %v%s", r.status, status, message)
	case !found && failed == "":
		return &badJSON{fmt.Sprintf("it has no %q%s", r.member, message), errNoResult}
	case !found:
		return fmt.Errorf("it has no %q%s", r.member, message)
	}
	return nil
}

// open reads the opening brace of a response.
func (r *response) open(decoder *jsontext.Decoder) error {
	switch decoder.PeekKind() {
	case '{':
		_, err := decoder.ReadToken()
		return err
	case jsontext.KindInvalid:
		_, err := decoder.ReadToken()
		switch {
		case r.readErr != nil:
			return err
		case errors.Is(err, io.EOF):
			return &badJSON{"it is empty", errNoResult}
		}
		if page := describePage(r.header, decoder.UnreadBuffer(), r.mask); page != "" {
			return errors.New(page)
		}
		return shorten(err)
	default:
		return errors.New("it is JSON, but not an object")
	}
}

// close reads the closing brace of a response, and the end of its body.
func (r *response) close(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); err != nil { // the closing brace
		return shorten(err)
	}
	switch _, err := decoder.ReadToken(); {
	case errors.Is(err, io.EOF):
		return nil
	case r.readErr != nil:
		return r.readErr
	default:
		return errors.New("it has more data after its JSON")
	}
}

// readOptional reads an optional value of the envelope. A value of another type is
// ignored.
func readOptional[T any](decoder *jsontext.Decoder, target *T) error {
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

// object reads a result that is one object. It returns the object and its JSON.
func object[T any](r *response) (*T, []byte, error) {
	var raw jsontext.Value
	err := r.envelope(func(decoder *jsontext.Decoder) error {
		if decoder.PeekKind() != '{' {
			return r.wrongShape(decoder, "an object")
		}
		value, err := decoder.ReadValue()
		raw = value.Clone()
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	read, err := decode[T](raw, r.mask)
	return read, raw, err
}

// intoOptional returns an accept function for a result that is the object with this
// ID. A response without a result leaves target nil.
func intoOptional[T any](target **T, id string) func(*response) error {
	return func(r *response) error {
		*target = nil // an earlier attempt may have set it
		read, raw, err := object[T](r)
		if errors.Is(err, errNoResult) {
			return nil
		}
		if err != nil {
			return err
		}
		*target = read
		return checkID(raw, id, r.mask)
	}
}

// checkID rejects an object with another ID than the requested one. UUIDs are
// compared in any letter case. An object without an ID is accepted.
func checkID(object []byte, requested string, mask func(string) string) error {
	var returned struct {
		ID *string `json:"id"`
	}
	_ = json.Unmarshal(object, &returned, lenient) // it was decoded before
	switch id := returned.ID; {
	case id == nil, *id == requested, IsUUID(requested) && strings.EqualFold(*id, requested):
		return nil
	default:
		return fmt.Errorf("it is about another object: the request was for ID %s, and the response has ID %s", requested, cleanText(mask(*id), maxRequestID))
	}
}

// wrongShape is the error of a result of another type.
func (r *response) wrongShape(decoder *jsontext.Decoder, wanted string) error {
	kind := decoder.PeekKind()
	if _, err := decoder.ReadValue(); err != nil {
		return err
	}
	return fmt.Errorf("its %q is %s instead of %s", r.member, kindName(kind), wanted)
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

// decode reads one object from its JSON. What an error repeats of it is masked.
func decode[T any](value jsontext.Value, mask func(string) string) (*T, error) {
	object := new(T)
	err := json.Unmarshal(value, object, lenient)
	if err == nil {
		return object, nil
	}
	if other := new(json.SemanticError); errors.As(err, &other) {
		return nil, &badJSON{otherType(other, value, mask), err}
	}
	return nil, shorten(err)
}

// otherType says which field has another type than the API document, and what came.
func otherType(e *json.SemanticError, value jsontext.Value, mask func(string) string) string {
	field := ""
	for token := range e.JSONPointer.Tokens() {
		switch value.Kind() {
		case '[':
			var all []jsontext.Value
			_ = json.Unmarshal(value, &all, lenient) // it was read before
			at, _ := strconv.Atoi(token)
			value = all[at]
			field += "[" + token + "]"
		default:
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
	if text := cleanText(mask(string(value)), 40); documented != "a string" && value.Kind() != '{' && value.Kind() != '[' {
		came += " (" + text + ")"
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

// shorten reports what is wrong with JSON and where, without the words of the
// library.
func shorten(err error) error {
	if large := new(tooLarge); errors.As(err, &large) {
		return large
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

// badJSON replaces the text of an error, which it wraps.
type badJSON struct {
	text string
	err  error
}

func (e *badJSON) Error() string { return e.text }
func (e *badJSON) Unwrap() error { return e.err }

// encode writes a body as JSON. It fails only if a number is out of range.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the body cannot be written as JSON: %w", err)
	}
	return b, nil
}
