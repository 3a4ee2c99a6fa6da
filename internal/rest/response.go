package rest

import (
	"fmt"
	"io"
	"net/http"
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
	// Cut is why there is no more of the body, nil if it is whole. It is an
	// io.ErrUnexpectedEOF if the connection ended or the time was over.
	Cut error
	// RequestID is the platform's ID of the request, cleaned: that of a header, unless
	// whoever reads the body finds another.
	RequestID string
	// Mask masks secrets in what is repeated of the body.
	Mask func(string) string
}

func newResponse(r *http.Response, mask func(string) string) *Response {
	return &Response{
		Status: r.StatusCode, Header: r.Header, Mask: mask,
		RequestID: Clean(mask(r.Header.Get("X-Request-Id")), MaxID),
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
