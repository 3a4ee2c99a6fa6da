package rest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Why an attempt ended early, if not because the caller cancelled.
var (
	errBudget = errors.New("retry_timeout is used up")
	errLate   = errors.New("the attempt took too long")
)

// attempt is what is known of one attempt to send a request. If net/http never read the body of a
// request, the request cannot have been carried out.
type attempt struct {
	sent      atomic.Bool // the body was read
	connected atomic.Bool // there was a connection
	response  *Response   // nil if there was none, not even the beginning of one
	failed    *Error      // nil after a success
}

// sentBody is the body of a request. It records that net/http reads it, or prevents that if the
// caller has cancelled. The request has no GetBody, so that net/http cannot resend it by itself.
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

// try sends the request once, reads the response, and returns what is known of the attempt.
func (k *Call) try(ctx context.Context) *attempt {
	a := &attempt{}
	attemptCtx, cancel := k.attemptContext(ctx, a)
	defer cancel()
	client := k.client.http
	if k.Unrepeatable {
		client = onOwnConnection(client)
		defer client.CloseIdleConnections() // which ends a dial that nobody waits for
	}
	response, err := client.Do(k.httpRequest(attemptCtx, ctx.Err, a))
	if err != nil {
		a.failed = k.noResponse(attemptCtx, err, a)
		return a
	}
	defer response.Body.Close()
	a.response = newResponse(response, k.client.Secrets.Clean)
	a.failed = k.receive(a.response, response.Body)
	if a.failed != nil && errors.Is(a.failed.Err, io.ErrUnexpectedEOF) {
		a.failed = k.noResponse(attemptCtx, a.failed.Err, a)
	}
	if a.failed != nil {
		a.failed.RequestID = a.response.RequestID
	}
	return a
}

// attemptContext bounds one attempt by request_timeout and, while the API is down, by downTimeout.
// Once an unrepeatable request is sent, it has all of request_timeout, even beyond the end of
// retry_timeout: to cut it short would lose what it creates.
func (k *Call) attemptContext(ctx context.Context, a *attempt) (attemptCtx context.Context, cancel func()) {
	most, setting := k.client.config.RequestTimeout, "request_timeout of "
	if k.whileDown && !k.Unrepeatable && downTimeout < most {
		most, setting = downTimeout, ""
	}
	attemptCtx, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	late := time.AfterFunc(most, func() {
		abort(&Reworded{fmt.Sprintf("no response within %s%s", setting, readable(most)), errLate})
	})
	unhook := context.AfterFunc(ctx, func() {
		if !k.Unrepeatable || !a.sent.Load() {
			abort(context.Cause(ctx))
		}
	})
	return attemptCtx, func() {
		late.Stop()
		unhook()
		abort(nil)
	}
}

func (k *Call) httpRequest(ctx context.Context, cancelled func() error, a *attempt) *http.Request {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { a.connected.Store(true) },
	})
	req := (&http.Request{Method: k.Method, URL: k.url(), Header: http.Header{"Accept": {"application/json"}, "User-Agent": {k.client.config.UserAgent}}}).WithContext(ctx)
	if k.Method == http.MethodGet {
		req.Header.Set("Cache-Control", "no-cache") // what is decided by a read must not be a cache's
	}
	if k.Body != nil {
		b := &sentBody{attempt: a, cancelled: cancelled}
		b.Reset(k.Body)
		req.Body, req.ContentLength = b, int64(len(k.Body))
		req.Header.Set("Content-Type", "application/json")
	}
	k.API.Authorize(req)
	return req
}

// noResponse is the error of an attempt without a complete response.
func (k *Call) noResponse(ctx context.Context, err error, a *attempt) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without URL and method, which other parts of the message name
	}
	e := k.NewError(NotSent, &Reworded{k.client.Secrets.Clean(err.Error(), maxMessage), err})
	if a.sent.Load() || k.Body == nil && a.connected.Load() {
		e.Kind = NoResponse
	}
	e.Ambiguous = e.Kind == NoResponse && k.isWrite()
	switch cause := context.Cause(ctx); {
	case cause == nil && e.Kind == NotSent && isPermanent(err):
		e.Kind = Final
	case cause == nil:
	case errors.Is(cause, errLate):
		e.Err = cause
	case errors.Is(cause, errBudget):
		e.Err = &Reworded{"no response within the rest of retry_timeout", cause}
	default:
		e.Kind, e.Err = Interrupted, cause
	}
	return e
}

// receive reads a response. It returns nil for one that can be used.
func (k *Call) receive(r *Response, body io.Reader) *Error {
	r.read(body, cmp.Or(k.MaxBody, maxBody))
	err := k.Accept(r)
	switch {
	case err == nil:
		return nil
	case r.IsSuccess():
		e := k.NewError(Unreadable, err)
		e.Status, e.Ambiguous = r.Status, k.isWrite()
		return e
	default:
		return k.unsuccessful(r)
	}
}

// unsuccessful is the error of a response that is no success.
func (k *Call) unsuccessful(r *Response) *Error {
	e := k.NewError(kinds[r.Status], nil)
	e.Status = r.Status
	message, object := describe(r)
	e.Message = message
	id, _ := object["requestId"].(string)
	isOwn := id != ""
	if isOwn {
		r.RequestID = r.Clean(id, words.MaxID)
		e.NotFound = r.Status == http.StatusNotFound && k.NamesObject
	}
	e.requested, e.requestedWith = requestedWait(r.Status, r.Header, time.Now())
	e.Ambiguous = k.isWrite() && !saysUndone(k.Method, r, isOwn)
	return e
}

// saysUndone reports whether a response says that a write was not carried out: a 4xx, or a 503 that
// is the API's own (like a 404, it has a requestId) or names a time to retry at. A redirect may
// follow a write that was carried out. A creation is never sent again after a status that only a
// retry can get past: a gateway's 408 or 503 may come after it was handed on.
func saysUndone(method string, r *Response, isOwn bool) bool {
	switch {
	case kinds[r.Status] != Temporary:
		return r.Status >= 400 && r.Status <= 499
	case method == http.MethodPost:
		return false
	case r.Status == http.StatusServiceUnavailable:
		return isOwn || r.Header.Get("Retry-After") != ""
	default:
		return r.Status < http.StatusInternalServerError
	}
}
