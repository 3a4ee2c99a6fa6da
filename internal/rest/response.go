package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Maximum size of a success and of an error, in bytes. In memory, it may take fifty times as much.
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
	// Value is the body as encoding/json reads it: of two members with one name the last counts, and
	// what is not UTF-8 is replaced. But numbers are as they are spelled: to decode one may fail, or take
	// gigabytes. Malformed is why the body is no JSON: io.ErrUnexpectedEOF if it is cut off.
	Value     any
	Malformed error
	IsOwn     bool                               // the API itself has answered: see identify
	RequestID string                             // the platform's, clean: that in the body, or else in the header
	Clean     func(text string, most int) string // makes a text fit for a message: see Secrets.Clean
}

// IsSuccess reports whether the status is 2xx.
func (r *Response) IsSuccess() bool { return r.Status >= 200 && r.Status <= 299 }

// read reads the body. The most bytes are those of a success.
func (r *Response) read(body io.Reader, most int64) {
	if !r.IsSuccess() {
		most = maxError
	}
	all, err := io.ReadAll(io.LimitReader(body, most+1))
	r.Body = all
	switch {
	case err != nil:
		r.Cut = &Reworded{r.Clean(err.Error(), maxMessage), io.ErrUnexpectedEOF}
	case int64(len(all)) > most:
		r.Cut = fmt.Errorf("it is larger than the provider accepts (%d MiB)", most>>20)
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	r.Malformed = decoder.Decode(&r.Value)
}
