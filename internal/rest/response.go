package rest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Maximum size of a response, in bytes. Ten thousand services with every field
// are some 30 MB.
const (
	MaxList   = 256 << 20
	MaxObject = 16 << 20
	maxError  = 64 << 10
)

// TooLarge is the error of a response beyond its maximum size.
type TooLarge struct{ limit int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("it is larger than the provider accepts (%d MiB)", e.limit>>20)
}

// Response is an HTTP response whose body is read up to a maximum size.
type Response struct {
	Status int
	Header http.Header
	// RequestID is the platform's ID of the request, cleaned: that of a header, unless
	// whoever reads the body finds another.
	RequestID string
	// Mask masks secrets in what is repeated of the body.
	Mask func(string) string

	body    io.Reader
	limit   int64
	read    int64
	readErr error     // of the connection
	arrived time.Time // when the last byte was read
}

// NewResponse reads an HTTP response, up to MaxObject.
func NewResponse(r *http.Response, mask func(string) string) *Response {
	return &Response{
		Status:    r.StatusCode,
		Header:    r.Header,
		RequestID: Clean(mask(r.Header.Get("X-Request-Id")), MaxID),
		Mask:      mask,
		body:      r.Body,
		limit:     MaxObject,
	}
}

// Limit sets the maximum size, in bytes.
func (r *Response) Limit(size int64) { r.limit = size }

// Read reads the body. Beyond the maximum size its error is a TooLarge.
func (r *Response) Read(p []byte) (int, error) {
	if r.read >= r.limit {
		return 0, &TooLarge{r.limit}
	}
	n, err := r.body.Read(p[:min(int64(len(p)), r.limit-r.read)])
	if r.read += int64(n); n > 0 {
		r.arrived = time.Now()
	}
	if err != nil && err != io.EOF {
		r.readErr = err
	}
	return n, err
}

// isCut reports whether err comes from a response that was cut off, by the connection
// or in the middle of its JSON.
func (r *Response) isCut(err error) bool {
	return !errors.As(err, new(*TooLarge)) && (r.readErr != nil || errors.Is(err, io.ErrUnexpectedEOF))
}

// drain reads a short rest of the body, so that the connection can be reused. With
// a long rest it is cheaper to close it.
func (r *Response) drain() {
	if r.read < r.limit {
		_, _ = io.CopyN(io.Discard, r.body, 16<<10)
	}
}
