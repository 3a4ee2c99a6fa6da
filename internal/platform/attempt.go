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

// sending is the state of an attempt's body. A request whose body was never
// read can't have been carried out, as its headers alone ask for nothing; nor
// can one that was stopped before.
type sending struct {
	state     atomic.Int32
	connected atomic.Bool
}

const (
	notSent int32 = iota
	sent
	stopped
)

func (s *sending) stop() bool   { return s.state.CompareAndSwap(notSent, stopped) }
func (s *sending) isSent() bool { return s.state.Load() == sent }

// body notes that it is read. It has no GetBody beside it, so that net/http
// can't replay by itself what it began to send.
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

// attempt sends the request once and reads its answer.
func (k *call) attempt(ctx context.Context) *Error {
	s := &sending{}
	attemptCtx, cancel, limit := k.attemptContext(ctx, s)
	defer cancel()
	req := k.httpRequest(attemptCtx, s)
	response, err := k.http.Do(req)
	if err != nil {
		return k.noAnswer(ctx, attemptCtx, err, limit, s)
	}
	defer response.Body.Close()
	a := newAnswer(response, k.Mask)
	a.keep, a.inspect = k.salvage != nil, k.inspect
	failed := k.judge(a)
	k.status, k.requestID = a.status, a.requestID
	if failed != nil && failed.class == classLost {
		failed = k.noAnswer(ctx, attemptCtx, failed.Err, limit, s)
		failed.RequestID = a.requestID
	}
	if failed != nil && k.salvage != nil && k.salvage(failed, a.seen.Bytes()) {
		return nil
	}
	a.drain()
	return failed
}

// attemptContext bounds one attempt. A detached one outlives its caller once it
// is sent, and then has the whole of the request timeout, whatever the budget:
// cutting it short would lose a key.
func (k *call) attemptContext(ctx context.Context, s *sending) (context.Context, context.CancelFunc, time.Duration) {
	limit := k.requestTimeout
	if !k.detached {
		if end, bounded := ctx.Deadline(); bounded {
			limit = min(limit, time.Until(end))
		}
		ctx, cancel := context.WithTimeout(ctx, limit)
		return ctx, cancel, limit
	}
	detached, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	unhook := context.AfterFunc(ctx, func() {
		if s.stop() {
			cancel()
		}
	})
	return detached, func() { unhook(); cancel() }, limit
}

func (k *call) httpRequest(ctx context.Context, s *sending) *http.Request {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { s.connected.Store(true) },
	})
	req := (&http.Request{
		Method: k.method,
		URL:    k.url,
		Host:   k.url.Host,
		Header: http.Header{"Accept": {"application/json"}},
	}).WithContext(ctx)
	if k.request.body != nil {
		b := &body{sending: s}
		b.Reset(k.request.body)
		req.Body, req.ContentLength = b, int64(len(k.request.body))
		req.Header.Set("Content-Type", "application/json")
	}
	if k.userAgent != "" {
		req.Header.Set("User-Agent", k.userAgent)
	}
	k.api.authorize(req)
	return req
}

// noAnswer is the error of an attempt that brought no whole answer.
func (k *call) noAnswer(ctx, attemptCtx context.Context, err error, limit time.Duration, s *sending) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // the address and the method are told elsewhere
	}
	e := &Error{class: classUnsent, Err: err}
	if s.isSent() || k.request.body == nil && s.connected.Load() {
		e.class = classLost
	}
	e.ambiguous = e.class == classLost && k.method != http.MethodGet
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errBudget) && (!k.detached || !s.isSent()):
		e.class, e.Err = classInterrupted, context.Cause(ctx)
	case attemptCtx.Err() != nil:
		e.Err = k.timedOut(ctx, limit, s)
	case e.class == classUnsent && isFinal(err):
		e.class = classFinal
	}
	return e
}

func (k *call) timedOut(ctx context.Context, limit time.Duration, s *sending) error {
	switch {
	case limit < k.requestTimeout:
		return fmt.Errorf("no answer within %s, which is what was left of retry_timeout", readable(limit))
	case ctx.Err() != nil && !s.isSent(): // a detached attempt, stopped before
		return errBudget
	}
	return fmt.Errorf("no answer within request_timeout (%s)", readable(limit))
}

// judge reads an answer.
func (k *call) judge(a *answer) *Error {
	if a.status >= 200 && a.status <= 299 {
		return k.judgeSuccess(a)
	}
	e := readError(a)
	e.retryAfter = retryAfter(a.header, time.Now())
	switch a.status {
	case http.StatusTooManyRequests:
		e.class = classLimited
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		e.class = classTrouble
	default:
		e.class = classFinal
	}
	e.ambiguous = a.status >= 500 && k.method != http.MethodGet
	return e
}

func (k *call) judgeSuccess(a *answer) *Error {
	err := k.accept(a)
	if err == nil {
		return nil
	}
	e := &Error{class: classUnreadable, Status: a.status, RequestID: a.requestID, Err: err, ambiguous: k.method != http.MethodGet}
	if a.cut(err) {
		e.class, e.Err = classLost, errors.New("the answer broke off: "+err.Error())
		if a.readErr != nil {
			e.Err = fmt.Errorf("the answer broke off: %w", a.readErr)
		}
	}
	return e
}
