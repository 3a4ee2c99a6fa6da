package rest

import (
	"bytes"
	"sync/atomic"
)

// attempt is what is known of one attempt to send a request. A request with a body cannot
// have been carried out if net/http never read the body.
type attempt struct {
	sent      atomic.Bool // the body was read
	connected atomic.Bool // there was a connection
	response  *Response   // nil if there was none, not even the beginning of one
	failed    *Error      // nil after a success
}

// sentBody is the body of a request, and records when net/http first reads it, unless
// the caller has cancelled before. The request has no GetBody, so that net/http cannot
// resend it by itself.
type sentBody struct {
	bytes.Reader
	attempt   *attempt
	cancelled func() error // the error of the caller's context
}

func (b *sentBody) Read(p []byte) (int, error) {
	if !b.attempt.sent.Swap(true) && b.cancelled() != nil {
		b.attempt.sent.Store(false)
		return 0, b.cancelled()
	}
	return b.Reader.Read(p)
}

func (*sentBody) Close() error { return nil }
