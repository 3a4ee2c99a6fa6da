package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Maximum size of a response, in bytes. Ten thousand services with every field
// are some 30 MB.
const (
	maxBody  = 64 << 20
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
	// RequestID is the platform's ID of the request, cleaned: that in the body if there is one, else
	// that of the header.
	RequestID string
	// Mask masks secrets in what is repeated of the body.
	Mask func(string) string
}

func newResponse(r *http.Response, mask func(string) string) *Response {
	return &Response{
		Status: r.StatusCode, Header: r.Header, Mask: mask,
		RequestID: words.Clean(mask(r.Header.Get("X-Request-Id")), words.MaxID),
	}
}

// IsSuccess reports whether the status is 2xx.
func (r *Response) IsSuccess() bool { return r.Status >= 200 && r.Status <= 299 }

func (r *Response) read(body io.Reader) {
	most := int64(maxBody)
	if !r.IsSuccess() {
		most = maxError
	}
	var err error
	r.Body, err = io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case err != nil:
		r.Cut = &Reworded{r.Mask(err.Error()), io.ErrUnexpectedEOF}
	case int64(len(r.Body)) > most:
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
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if more := bytes.TrimLeft(r.Body[decoder.InputOffset():], " \t\r\n"); len(more) > 0 {
		return nil, &json.SyntaxError{Offset: int64(len(r.Body)-len(more)) + 1}
	}
	return value, nil
}
