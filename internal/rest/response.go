package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Maximum size of a response, in bytes. In memory, it may take fifty times as much. MaxBody is that of
// a success unless a request has its own: see Request.MaxBody.
const (
	maxBody  = 1 << 20
	maxError = 64 << 10
)

// Response is the response to one attempt.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Cut is why the body is not complete, nil if it is. It is an io.ErrUnexpectedEOF if the
	// connection ended or the time was over.
	Cut error
	// RequestID is the platform's ID of the request, clean: that in the body if there is one, else
	// that of the header.
	RequestID string
	// Clean makes a text of the response fit for a message: see Secrets.Clean.
	Clean func(text string, most int) string
}

func newResponse(r *http.Response, clean func(string, int) string) *Response {
	return &Response{
		Status: r.StatusCode, Header: r.Header, Clean: clean,
		RequestID: clean(r.Header.Get("X-Request-Id"), words.MaxID),
	}
}

// IsSuccess reports whether the status is 2xx.
func (r *Response) IsSuccess() bool { return r.Status >= 200 && r.Status <= 299 }

// read reads the body, without the byte order mark that some servers put before JSON. The most bytes
// are those of a success.
func (r *Response) read(body io.Reader, most int64) {
	if !r.IsSuccess() {
		most = maxError
	}
	all, err := io.ReadAll(io.LimitReader(body, most+1))
	r.Body = bytes.TrimPrefix(all, []byte("\ufeff"))
	switch {
	case err != nil:
		r.Cut = &Reworded{r.Clean(err.Error(), maxMessage), io.ErrUnexpectedEOF}
	case int64(len(all)) > most:
		r.Cut = fmt.Errorf("it is larger than the provider accepts (%d MiB)", most>>20)
	}
}

// JSON returns the body as encoding/json reads it, but numbers as they are spelled: to decode one
// may fail, or take gigabytes. Of two members with one name the last counts, and what is not UTF-8
// is replaced. The error is io.ErrUnexpectedEOF if the JSON is cut off, io.EOF if the body is
// empty, and otherwise a json.SyntaxError, also about what follows the JSON.
//
// Rejected: json.RawMessage for what is read later. Each level is scanned again, which takes three
// times as long.
func (r *Response) JSON() (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	if value, err = inParts(decoder, 2); err == nil && len(bytes.TrimSpace(r.Body[decoder.InputOffset():])) == 0 {
		return value, nil
	}
	decoder = json.NewDecoder(bytes.NewReader(r.Body)) // whose errors have a place
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if more := bytes.TrimLeft(r.Body[decoder.InputOffset():], " \t\r\n"); len(more) > 0 {
		return nil, &json.SyntaxError{Offset: int64(len(r.Body)-len(more)) + 1}
	}
	return value, nil
}

// inParts decodes the outer levels of a value piece by piece, such as an envelope and its list,
// because Decode keeps a copy of all that it reads at once.
func inParts(d *json.Decoder, levels int) (value any, err error) {
	if levels == 0 {
		err = d.Decode(&value)
		return value, err
	}
	begin, err := d.Token()
	switch begin {
	case json.Delim('{'):
		object := map[string]any{}
		for err == nil && d.More() {
			var name json.Token
			if name, err = d.Token(); err == nil {
				object[name.(string)], err = inParts(d, levels-1)
			}
		}
		value = object
	case json.Delim('['):
		array := []any{}
		for err == nil && d.More() {
			value, err = inParts(d, levels-1)
			array = append(array, value)
		}
		value = array
	default:
		return begin, err
	}
	if err == nil {
		_, err = d.Token() // the end
	}
	return value, err
}
