package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"
)

// Why an attempt ended early, besides the caller's own reasons.
var (
	errBudget    = errors.New("retry_timeout is used up")
	errLate      = errors.New("the attempt took too long")
	errNoContact = errors.New("no connection within " + readable(firstContact)) // and none before in this run
)

// sender sends one request, once at a time.
type sender struct {
	*Request
	caller
	client *Client
}

// try sends the request once, reads the response, and returns what is known of the attempt.
func (k *sender) try(ctx context.Context) *attempt {
	a := &attempt{}
	a.failed = k.exchange(ctx, a)
	if a.failed != nil && a.response != nil {
		a.failed.RequestID = a.response.RequestID
	}
	return a
}

func (k *sender) exchange(ctx context.Context, a *attempt) *Error {
	attemptCtx, cancel := k.attemptContext(ctx, a)
	defer cancel()
	client := k.client.http
	if k.OwnConnection {
		client = onOwnConnection(client)
		defer client.CloseIdleConnections() // which ends a dial that nobody waits for
	}
	response, err := client.Do(k.httpRequest(attemptCtx, ctx.Err, a))
	if err != nil {
		return k.noResponse(attemptCtx, err, a)
	}
	defer response.Body.Close()
	a.response = newResponse(response, k.client.Secrets.Mask)
	e := k.receive(a.response, response.Body)
	if e != nil && errors.Is(e.Err, io.ErrUnexpectedEOF) {
		return k.noResponse(attemptCtx, e.Err, a)
	}
	return e
}

// attemptContext bounds one attempt by request_timeout and by what is left of
// retry_timeout. An uninterruptible attempt, once sent, always has all of
// request_timeout: to cut it short would lose what it creates.
func (k *sender) attemptContext(ctx context.Context, a *attempt) (context.Context, context.CancelFunc) {
	a.limit, a.limitedBy = k.client.config.RequestTimeout, "request_timeout"
	if end, bounded := ctx.Deadline(); bounded && !k.Uninterruptible && time.Until(end) < a.limit {
		a.limit, a.limitedBy = time.Until(end), "the rest of retry_timeout"
	}
	a.limitedBy += fmt.Sprintf(" (%s)", readable(a.limit))
	attemptCtx, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	late := time.AfterFunc(a.limit, func() { abort(errLate) })
	unhook := context.AfterFunc(ctx, func() {
		if !k.Uninterruptible || !a.sent.Load() {
			abort(context.Cause(ctx))
		}
	})
	unlimited := k.contact.IsZero()
	unconnected := time.AfterFunc(time.Until(k.contact), func() {
		if !unlimited && !a.connected.Load() {
			abort(errNoContact)
		}
	})
	return attemptCtx, func() { late.Stop(); unhook(); unconnected.Stop(); abort(nil) }
}

func (k *sender) httpRequest(ctx context.Context, cancelled func() error, a *attempt) *http.Request {
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { a.connected.Store(true) },
	})
	req := (&http.Request{Method: k.Method, URL: k.url(), Header: http.Header{"Accept": {"application/json"}, "User-Agent": {k.client.config.UserAgent}}}).WithContext(ctx)
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
func (k *sender) noResponse(ctx context.Context, err error, a *attempt) *Error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without URL and method, which other parts of the message name
	}
	text := err.Error()
	if strings.Contains(text, "Request.GetBody") { // advice for programmers
		text = "the server closed the connection"
	}
	e := k.NewError(NotSent, &Reworded{Clean(k.client.Secrets.Mask(text), maxMessage), err})
	if a.sent.Load() || k.Body == nil && a.connected.Load() {
		e.Kind = NoResponse
	}
	e.Ambiguous = e.Kind == NoResponse && k.isWrite()
	switch cause := context.Cause(ctx); {
	case cause == nil && e.Kind == NotSent && isPermanent(err):
		e.Kind = Final
	case cause == nil:
	case errors.Is(cause, errLate), errors.Is(cause, errBudget) && !k.Uninterruptible:
		// What arrives until the end would take as long again.
		if r := a.response; r != nil && time.Since(r.arrived) < a.limit/2 {
			return k.unusable(r, fmt.Errorf("the response was still arriving when %s ended; increase it if the response is large", a.limitedBy))
		}
		e.Err = errors.New("no response within " + a.limitedBy)
	case errors.Is(cause, errBudget), errors.Is(cause, errNoContact):
		e.Err = cause
	default:
		e.Kind, e.Err = Interrupted, cause
	}
	return e
}

func newResponse(r *http.Response, mask func(string) string) *Response {
	return &Response{
		Status: r.StatusCode, Header: r.Header, Mask: mask,
		RequestID: Clean(mask(r.Header.Get("X-Request-Id")), MaxID),
	}
}

// receive reads a response. It returns nil for one that can be used.
func (k *sender) receive(r *Response, body io.Reader) *Error {
	r.read(body, cmp.Or(k.MaxBody, maxObject))
	err := k.Accept(r)
	switch {
	case err == nil:
		return nil
	case r.IsSuccess():
		return k.unusable(r, err)
	default:
		return k.unsuccessful(r)
	}
}

// unusable is the error of a success that cannot be used.
func (k *sender) unusable(r *Response, err error) *Error {
	e := k.NewError(Unreadable, err)
	e.Status, e.Ambiguous = r.Status, k.isWrite()
	return e
}

// unsuccessful is the error of a response that is no success.
func (k *sender) unsuccessful(r *Response) *Error {
	e := k.NewError(kinds[r.Status], nil)
	e.Status = r.Status
	message, object := describe(r)
	e.Message = message
	if id, ok := object["requestId"].(string); ok && id != "" {
		r.RequestID = Clean(r.Mask(id), MaxID)
		e.NotFound = r.Status == http.StatusNotFound && k.NamesObject
	}
	e.requested, e.requestedWith = requestedWait(r.Status, r.Header, time.Now())
	// The API's own rejection, a 4xx, is the one answer that says that nothing was done: a
	// redirect may follow a write that was carried out.
	isRejected := r.Status >= 400 && r.Status <= 499 && e.Kind != Temporary
	e.Ambiguous = !isRejected && k.isWrite()
	return e
}
