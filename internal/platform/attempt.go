package platform

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

// sending is how far the request of an attempt got. A request with a body cannot
// have been carried out if net/http never read the body.
type sending struct {
	state     atomic.Int32
	begun     atomic.Bool // net/http accepted the request and requested a connection
	connected atomic.Bool // it got one
}

const (
	notSent int32 = iota
	sent
	stopped // before it was sent
)

func (s *sending) stop() bool   { return s.state.CompareAndSwap(notSent, stopped) }
func (s *sending) isSent() bool { return s.state.Load() == sent }

// body is the body of a request, and records when net/http first reads it. The
// request has no GetBody, so that net/http cannot resend it by itself.
type body struct {
	bytes.Reader
	sending *sending
}

func (b *body) Read(p []byte) (int, error) {
	b.sending.state.CompareAndSwap(notSent, sent)
	if !b.sending.isSent() {
		return 0, context.Canceled
	}
	return b.Reader.Read(p)
}

func (*body) Close() error { return nil }

// attempt sends the request once and reads the response.
func (k *call) attempt(ctx context.Context) *Error {
	s := &sending{}
	defer func() { k.connected = s.connected.Load() }()
	attemptCtx, cancel, limit := k.attemptContext(ctx, s)
	defer cancel()
	httpResponse, err := k.http.Do(k.httpRequest(attemptCtx, s))
	if err != nil {
		return k.noResponse(ctx, attemptCtx, err, limit, s)
	}
	defer httpResponse.Body.Close()
	r := newResponse(httpResponse, k.api.member, k.maskOutside)
	r.keep = k.salvage != nil
	began := time.Now()
	failed := k.read(r)
	k.status, k.requestID = r.status, r.requestID
	if failed != nil && failed.class == classNoResponse {
		cause := failed.Err
		failed = k.noResponse(ctx, attemptCtx, cause, limit, s)
		if errors.As(failed.Err, new(*badJSON)) {
			failed.Err = cause // it is worded already
		}
		failed.RequestID = r.requestID
	}
	took := time.Since(began)
	if failed != nil && errors.Is(attemptCtx.Err(), context.DeadlineExceeded) && r.arrivedUntil.Sub(began) > took/2 && took > limit/2 {
		failed.endless = true
		if failed.Status == 0 {
			failed.Err = k.stillArriving(limit)
		}
	}
	if failed != nil && k.salvage != nil && k.salvage(failed, r.seen.Bytes()) {
		return nil
	}
	r.drain()
	return failed
}

// attemptContext bounds one attempt by request_timeout and by what is left of
// retry_timeout. An uninterruptible attempt, once sent, always has all of
// request_timeout: to cut it short would lose a key.
func (k *call) attemptContext(ctx context.Context, s *sending) (context.Context, context.CancelFunc, time.Duration) {
	limit := k.requestTimeout
	if !k.uninterruptible {
		if end, bounded := ctx.Deadline(); bounded {
			limit = min(limit, time.Until(end))
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		return ctx, cancel, limit
	}
	attemptCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	unhook := context.AfterFunc(ctx, func() {
		if s.stop() {
			cancel()
		}
	})
	return attemptCtx, func() { unhook(); cancel() }, limit
}

func (k *call) httpRequest(ctx context.Context, s *sending) *http.Request {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { s.begun.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { s.connected.Store(true) },
	})
	req := (&http.Request{
		Method: k.method,
		URL:    k.url,
		Host:   k.url.Host,
		Header: http.Header{"Accept": {"application/json"}},
	}).WithContext(ctx)
	if k.encoded != nil {
		b := &body{sending: s}
		b.Reset(k.encoded)
		req.Body, req.ContentLength = b, int64(len(k.encoded))
		req.Header.Set("Content-Type", "application/json")
	}
	if k.userAgent != "" {
		req.Header.Set("User-Agent", k.userAgent)
	}
	k.api.authorize(req)
	return req
}

// noResponse is the error of an attempt without a complete response.
func (k *call) noResponse(ctx, attemptCtx context.Context, err error, limit time.Duration, s *sending) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without URL and method, which other parts of the message name
	}
	e := &Error{class: classNotSent, Err: &badJSON{cleanText(k.Mask(err.Error()), maxMessage), err}}
	if s.isSent() || k.encoded == nil && s.connected.Load() {
		e.class = classNoResponse
	}
	e.ambiguous = e.class == classNoResponse && k.isWrite()
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errBudget) && (!k.uninterruptible || !s.isSent()):
		e.class, e.Err = classInterrupted, context.Cause(ctx)
	case attemptCtx.Err() != nil:
		e.Err = k.timedOut(ctx, limit, s)
	case !s.begun.Load():
		e.class, e.local = classPermanent, true
	case e.class == classNotSent && isPermanent(err):
		e.class = classPermanent
	}
	return e
}

// stillArriving is the error of a response that took longer than the limit of an
// attempt. It is not retried, since a retry would take as long.
func (k *call) stillArriving(limit time.Duration) error {
	if limit < k.requestTimeout {
		return fmt.Errorf("the response was still arriving when retry_timeout (%s) ended", readable(k.retryTimeout))
	}
	return fmt.Errorf("the response was still arriving when request_timeout (%s) ended; increase it if the response is large", readable(limit))
}

// timedOut is the error of an attempt that got no response in time.
func (k *call) timedOut(ctx context.Context, limit time.Duration, s *sending) error {
	switch {
	case limit < k.requestTimeout:
		return fmt.Errorf("no response within %s, which is what was left of retry_timeout", readable(limit))
	case ctx.Err() != nil && !s.isSent(): // an uninterruptible attempt, stopped before it was sent
		return errBudget
	}
	return fmt.Errorf("no response within request_timeout (%s)", readable(limit))
}

// read reads a response. It returns nil for a usable success, else the classified
// error.
func (k *call) read(r *response) *Error {
	if r.status >= 200 && r.status <= 299 {
		return k.readSuccess(r)
	}
	e := readError(r, k.findSecrets)
	e.retryAfter = retryAfter(r.header, time.Now())
	switch r.status {
	case http.StatusTooManyRequests:
		e.class = classRateLimited
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.class = classServerError
	default:
		e.class = classPermanent
	}
	e.ambiguous = r.status >= 500 && k.isWrite()
	return e
}

func (k *call) readSuccess(r *response) *Error {
	err := k.accept(r)
	if err == nil {
		return nil
	}
	e := &Error{class: classUnreadable, Status: r.status, RequestID: r.requestID, Err: err, ambiguous: k.isWrite()}
	if r.isCut(err) {
		e.class, e.Err = classNoResponse, errors.New("the response was cut off: "+err.Error())
		if r.readErr != nil {
			e.Err = &badJSON{"the response was cut off: " + cleanText(k.Mask(r.readErr.Error()), maxMessage), r.readErr}
		}
	}
	return e
}
