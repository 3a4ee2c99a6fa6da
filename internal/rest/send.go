package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// attempt is what is known of one attempt to send a request.
type attempt struct {
	possible atomic.Bool // a connection was asked for: before that, what can never be sent fails, such as an invalid header
	sent     atomic.Bool // its headers were written: from then on, it may be carried out
	response *Response   // nil if there was none, not even the beginning of one
	failed   *Error      // nil after a success
}

// try sends the request once, reads the response, and returns what is known of the attempt.
func (k *Call) try(ctx context.Context) *attempt {
	a := &attempt{}
	attemptCtx, cancel := k.attemptContext(ctx, a)
	defer cancel()
	transport := k.client.Transport
	if k.NonIdempotent { // on a connection of its own: Request.Close may use one that others have used
		transport = transport.Clone()
		transport.DisableKeepAlives = true
		defer transport.CloseIdleConnections() // which ends a dial that nobody waits for
	}
	// Rejected: an http.Client, which would follow a redirect and send the credentials elsewhere.
	response, err := transport.RoundTrip(k.httpRequest(attemptCtx, a))
	if err != nil {
		a.failed = k.noResponse(attemptCtx, err, a)
		return a
	}
	defer response.Body.Close()
	a.response, a.failed = k.receive(response)
	if a.failed != nil && errors.Is(a.failed.Err, io.ErrUnexpectedEOF) {
		a.failed = k.noResponse(attemptCtx, a.failed.Err, a)
		a.failed.RequestID, a.failed.line = a.response.RequestID, a.response.line
	}
	return a
}

// ErrAbandoned is the cause of a cancellation after which nobody waits for the response to a write that was sent.
var ErrAbandoned = errors.New("terraform has ended")

// attemptContext bounds one attempt by request_timeout. Once a non-idempotent request is sent, it has
// all of that, even beyond the end of retry_timeout: to cut it short would lose what it creates.
func (k *Call) attemptContext(ctx context.Context, a *attempt) (attemptCtx context.Context, cancel func()) {
	most := k.client.config.RequestTimeout
	timedOut := &Reworded{"no response within request_timeout of " + words.Duration(most), errTime}
	aborted, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	attemptCtx, stop := context.WithTimeoutCause(aborted, most, timedOut)
	unhook := context.AfterFunc(ctx, func() {
		mayFinish := k.NonIdempotent || k.isWrite() && errors.Is(context.Cause(ctx), ErrAbandoned)
		if !mayFinish || !a.sent.Load() {
			abort(context.Cause(ctx))
		}
	})
	return attemptCtx, func() { unhook(); stop() }
}

// httpRequest has no GetBody, so that net/http cannot resend a body by itself. Rejected: a request that
// is sent once it has a connection, which the server may have closed before anything was written.
func (k *Call) httpRequest(ctx context.Context, a *attempt) *http.Request {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { a.possible.Store(true) }, WroteHeaders: func() { a.sent.Store(true) },
	})
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {k.client.config.UserAgent}}
	req := (&http.Request{Method: k.Method, URL: k.url(), Header: header}).WithContext(ctx)
	if k.Method == http.MethodGet {
		req.Header.Set("Cache-Control", "no-cache") // what is decided by a read must not be a cache's
	}
	if k.Body != nil {
		req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(k.Body)), int64(len(k.Body))
		req.Header.Set("Content-Type", "application/json")
	}
	k.API.Authorize(req)
	return req
}

// noResponse is the error of an attempt without a complete response.
func (k *Call) noResponse(ctx context.Context, err error, a *attempt) *Error {
	own := new(Reworded) // a sentence of ours needs no masking
	if !errors.As(err, &own) {
		own = &Reworded{k.client.reason(err, a.sent.Load() && k.Secret != nil), err}
	}
	e := k.NewError(NotSent, own)
	// An HTTP/2 server that refuses a stream before a response has not processed the request. Its error has no type.
	if a.sent.Load() && (a.response != nil || !strings.Contains(err.Error(), "REFUSED_STREAM")) {
		e.Kind, e.Ambiguous = NoResponse, k.isWrite()
	}
	isFinal := e.Kind == NotSent && k.API.health.isPermanent(err)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errTime):
		e.Err = cause
	case cause != nil:
		e.Kind, e.Err = Interrupted, cause
	case isFinal:
		e.Kind = Final
	case !a.possible.Load():
		e.Kind = Final
		k.attempts-- // this was none
	}
	return e
}

// reason is the text of an error of net/http. If a response may have a new secret, it is only that of a network: the others
// repeat what they cannot read, such as a status line.
func (s *Secrets) reason(err error, mayHaveSecret bool) string {
	isNetwork := errors.As(err, new(net.Error)) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if mayHaveSecret && !isNetwork {
		return "the response is not valid HTTP, or the server has ended it"
	}
	return s.Clean(err.Error(), maxMessage)
}

// receive reads a response, and returns no error for one that can be used.
func (k *Call) receive(response *http.Response) (*Response, *Error) {
	r := &Response{Status: response.StatusCode, Header: response.Header, Secrets: &k.client.Secrets}
	r.mayHaveSecret = k.Secret != nil
	r.MayExistTwice = k.mayExistTwice(k.failures)
	r.read(response.Body, cmp.Or(k.MaxBody, maxBody))
	r.judge(k.Request)
	err := k.Accept(r)
	if err == nil {
		return r, nil
	}
	e := k.NewError(meaningOf(r.Status).Kind, nil)
	e.Status, e.line, e.RequestID, e.Foreign, e.detour = r.Status, r.line, r.RequestID, r.form(), r.detour() != ""
	e.Ambiguous = k.isWrite() && r.MayBeDone(k.Method)
	switch {
	case r.IsSuccess():
		e.Kind, e.Err = Unreadable, err
	case k.Method == http.MethodPost && r.Malformed != nil && meaningOf(r.line).effect != nothing:
		e.Err = r.Cut // what has begun to be answered may be done
	}
	if !r.IsSuccess() || e.Foreign != "" {
		e.Message = r.Message()
	}
	e.NotFound = r.IsOwn && r.Status == http.StatusNotFound && k.NamesObject
	e.requested = requestedWait(r.Status, r.Header, time.Now())
	return r, e
}
