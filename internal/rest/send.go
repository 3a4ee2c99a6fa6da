package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"time"
)

var (
	// errBudget is the cause of a context that ended with retry_timeout.
	errBudget = errors.New("retry_timeout is used up")
	// errNoContact is the cause of one that ended because nothing could be connected to in
	// time, and never was in this run.
	errNoContact = errors.New("no connection within " + readable(firstContact))
)

// sender sends one request, once at a time.
type sender struct {
	*Request
	caller
	client *Client
	target *url.URL
	own404 bool // the response is a 404 of the API itself, and not of a gateway
}

// attempt is one attempt to send a request. A request with a body cannot have been
// carried out if net/http never read the body.
type attempt struct {
	state     atomic.Int32
	begun     atomic.Bool // net/http accepted the request and requested a connection
	connected atomic.Bool // it got one
	limit     time.Duration

	// Of the response, for the log.
	status    int
	requestID string
}

const (
	stateWaiting int32 = iota
	stateSent
	stateStopped // before it was sent
)

func (a *attempt) cancel() bool { return a.state.CompareAndSwap(stateWaiting, stateStopped) }
func (a *attempt) isSent() bool { return a.state.Load() == stateSent }

// sentBody is the body of a request, and records when net/http first reads it. The
// request has no GetBody, so that net/http cannot resend it by itself.
type sentBody struct {
	bytes.Reader
	attempt *attempt
}

func (b *sentBody) Read(p []byte) (int, error) {
	b.attempt.state.CompareAndSwap(stateWaiting, stateSent)
	if !b.attempt.isSent() {
		return 0, context.Canceled
	}
	return b.Reader.Read(p)
}

func (*sentBody) Close() error { return nil }

// try sends the request once and reads the response. It returns nil after a success.
func (k *sender) try(ctx context.Context) (*attempt, *Error) {
	a := &attempt{}
	attemptCtx, cancel := k.attemptContext(ctx, a)
	defer cancel()
	httpResponse, err := k.client.http.Do(k.httpRequest(attemptCtx, a))
	if err != nil {
		return a, k.noResponse(ctx, attemptCtx, err, a)
	}
	defer httpResponse.Body.Close()
	r := NewResponse(httpResponse, k.client.Secrets.Mask)
	began := time.Now()
	e := k.receive(r)
	a.status, a.requestID = r.Status, r.RequestID
	if e == nil {
		r.drain()
		return a, nil
	}
	if e.Kind == NoResponse {
		e = k.noResponse(ctx, attemptCtx, e.Err, a)
	}
	e.RequestID = r.RequestID
	// A response that arrived until the end would take as long again.
	if took := time.Since(began); errors.Is(attemptCtx.Err(), context.DeadlineExceeded) && r.arrived.Sub(began) > took/2 && took > a.limit/2 {
		if e.Kind = Endless; e.Status == 0 {
			e.Err = k.stillArriving(a.limit)
		}
	}
	r.drain()
	return a, e
}

// attemptContext bounds one attempt by request_timeout and by what is left of
// retry_timeout. An uninterruptible attempt, once sent, always has all of
// request_timeout: to cut it short would lose what it creates.
func (k *sender) attemptContext(ctx context.Context, a *attempt) (context.Context, context.CancelFunc) {
	a.limit = k.client.config.RequestTimeout
	base := context.WithoutCancel(ctx)
	if !k.Uninterruptible {
		base = ctx
		if end, bounded := ctx.Deadline(); bounded {
			a.limit = min(a.limit, time.Until(end))
		}
	}
	base, abort := context.WithCancelCause(base)
	attemptCtx, cancel := context.WithTimeout(base, a.limit)
	unhook := context.AfterFunc(ctx, func() {
		if k.Uninterruptible && a.cancel() {
			cancel()
		}
	})
	contact := k.API.door.contact(&k.caller)
	timer := time.AfterFunc(time.Until(contact), func() {
		if !contact.IsZero() && !a.connected.Load() {
			abort(errNoContact)
		}
	})
	return attemptCtx, func() { timer.Stop(); unhook(); cancel(); abort(nil) }
}

func (k *sender) httpRequest(ctx context.Context, a *attempt) *http.Request {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { a.begun.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { a.connected.Store(true) },
	})
	req := (&http.Request{
		Method: k.Method,
		URL:    k.target,
		Host:   k.target.Host,
		Header: http.Header{"Accept": {"application/json"}},
	}).WithContext(ctx)
	if k.Body != nil {
		b := &sentBody{attempt: a}
		b.Reset(k.Body)
		req.Body, req.ContentLength = b, int64(len(k.Body))
		req.Header.Set("Content-Type", "application/json")
	}
	if agent := k.client.config.UserAgent; agent != "" {
		req.Header.Set("User-Agent", agent)
	}
	k.API.Authorize(req)
	return req
}

// noResponse is the error of an attempt without a complete response.
func (k *sender) noResponse(ctx, attemptCtx context.Context, err error, a *attempt) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without URL and method, which other parts of the message name
	}
	e := k.NewError(NotSent, err)
	if !errors.As(err, new(*Reworded)) {
		e.Err = &Reworded{Clean(k.client.Secrets.Mask(err.Error()), maxMessage), err}
	}
	if a.isSent() || k.Body == nil && a.connected.Load() {
		e.Kind = NoResponse
	}
	e.Ambiguous = e.Kind == NoResponse && k.isWrite()
	switch cause := context.Cause(attemptCtx); {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errBudget) && (!k.Uninterruptible || !a.isSent()):
		e.Kind, e.Err = Interrupted, context.Cause(ctx)
	case errors.Is(cause, errNoContact):
		e.Err = errNoContact
	case cause != nil:
		e.Err = k.timedOut(ctx, a)
	case !a.begun.Load():
		e.Kind = Unsendable
	case e.Kind == NotSent && isPermanent(err):
		e.Kind = Final
	}
	return e
}

// stillArriving is the error of a response that took longer than the limit of an
// attempt.
func (k *sender) stillArriving(limit time.Duration) error {
	if limit < k.client.config.RequestTimeout {
		return fmt.Errorf("the response was still arriving when retry_timeout (%s) ended", readable(k.client.config.RetryTimeout))
	}
	return fmt.Errorf("the response was still arriving when request_timeout (%s) ended; increase it if the response is large", readable(limit))
}

// timedOut is the error of an attempt that got no response in time.
func (k *sender) timedOut(ctx context.Context, a *attempt) error {
	switch {
	case a.limit < k.client.config.RequestTimeout:
		return fmt.Errorf("no response within %s, which is what was left of retry_timeout", readable(a.limit))
	case ctx.Err() != nil && !a.isSent(): // an uninterruptible attempt, stopped before it was sent
		return errBudget
	}
	return fmt.Errorf("no response within request_timeout (%s)", readable(a.limit))
}

// receive reads a response. It returns nil for a usable success.
func (k *sender) receive(r *Response) *Error {
	if r.Status >= 200 && r.Status <= 299 {
		return k.readSuccess(r)
	}
	raw := readBody(r)
	if k.Inspect != nil && k.Inspect(r.Status, raw) {
		return nil
	}
	e := k.NewError(Final, nil)
	e.Status = r.Status
	message, object := describe(r, raw)
	e.Message = message
	if id, ok := object["requestId"].(string); ok && id != "" {
		r.RequestID = Clean(r.Mask(id), MaxID)
	}
	e.requested, e.requestedWith = requestedWait(r.Status, r.Header, time.Now())
	switch r.Status {
	case http.StatusTooManyRequests:
		e.Kind = RateLimited
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.Kind = ServerError
	}
	e.Ambiguous = r.Status >= 500 && k.isWrite()
	k.own404 = r.Status == http.StatusNotFound && object != nil && k.IsOwn404(object, message)
	return e
}

func (k *sender) readSuccess(r *Response) *Error {
	err := k.Accept(r)
	if err == nil {
		return nil
	}
	if !r.isCut(err) {
		e := k.NewError(Unreadable, err)
		e.Status, e.Ambiguous = r.Status, k.isWrite()
		return e
	}
	why := err.Error()
	if r.readErr != nil {
		why, err = r.Mask(r.readErr.Error()), r.readErr
	}
	return k.NewError(NoResponse, &Reworded{"the response was cut off: " + Clean(why, maxMessage), err})
}
