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

// request is one call: what is sent, how its answer is read, and how it may be
// repeated.
type request struct {
	operation string // "update pipe"
	subject   string // "pipe … of service … in organization …", for a 404
	api       *api
	method    string
	path      []string
	query     url.Values
	body      []byte
	// named says that a 404 is about the one object that the path names, and
	// not about what holds it.
	named bool
	// accept reads the body of an answer with a 2xx status.
	accept func(*answer) error
	// inspect sees the body of an error before anything is made of it.
	// Optional.
	inspect func([]byte)
	// salvage sees the error and what was read of its answer, and may turn it
	// into a success. Optional.
	salvage func(*Error, []byte) bool

	// once forbids a repetition after an attempt that may have been carried
	// out.
	once bool
	// rework makes such a repetition possible after all: it gives the body
	// that is still needed, and whether one is. Optional.
	rework func(context.Context) (again bool, err error)
	// detached lets an attempt that was sent run to its end though the caller
	// is gone.
	detached bool
}

// errBudget is why a context ended whose call used up retry_timeout.
var errBudget = errors.New("retry_timeout is used up")

// call is a request under way.
type call struct {
	*Client
	*request
	url     *url.URL
	started time.Time
	tries   int
	last    *Error // how the last attempt ended
	// maybeDone says that one of the attempts may have been carried out,
	// whatever came of those after it.
	maybeDone bool
	backoff   waits
	queued    time.Duration // waited for before this attempt: gate and slot
	ticket    ticket

	status    int // of this attempt's answer, for the log
	requestID string
}

// do carries a request through, attempts and waits included.
func (c *Client) do(ctx context.Context, r *request) error {
	if len(r.api.missing) > 0 {
		return fmt.Errorf("%s: %s not set", r.operation, list(r.api.missing))
	}
	u, err := r.api.url(r.path, r.query)
	if err != nil {
		return fmt.Errorf("%s: %w", r.operation, err)
	}
	k := &call{Client: c, request: r, url: u, started: time.Now(), backoff: newWaits()}
	if c.retryTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, k.started.Add(c.retryTimeout), errBudget)
		defer cancel()
	}
	return k.run(ctx)
}

func (k *call) run(ctx context.Context) error {
	for {
		if err := k.enter(ctx); err != nil {
			return k.giveUp(err)
		}
		k.tries++
		began := time.Now()
		failed := k.attempt(ctx)
		<-k.slots
		wait, again := k.settle(failed)
		if again {
			again = k.fits(ctx, wait, failed)
		}
		k.logAttempt(ctx, failed, time.Since(began), wait, again)
		if failed == nil {
			return nil
		}
		k.last = failed
		k.maybeDone = k.maybeDone || failed.ambiguous
		if !again {
			return k.conclude(failed)
		}
		if failed.class != classLimited { // a 429 waits at the gate
			if err := sleep(ctx, wait); err != nil {
				return k.giveUp(err)
			}
		}
		if done, err := k.reconsider(ctx, failed); done {
			return err
		}
	}
}

// enter waits until an attempt may be made, and takes a slot for it.
func (k *call) enter(ctx context.Context) (err error) {
	began := time.Now()
	defer func() { k.queued = time.Since(began) }()
	k.status, k.requestID = 0, ""
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if k.retryTimeout == 0 {
		// Without retrying there is no waiting either: the gate stays out of it.
		return acquire(ctx, k.slots)
	}
	k.ticket, err = k.api.gate.enter(ctx, k.slots)
	return err
}

// settle tells the gate how an attempt ended, and gives the wait before the
// next one, if the request may be repeated at all.
func (k *call) settle(failed *Error) (wait time.Duration, again bool) {
	if k.retryTimeout == 0 {
		return 0, false
	}
	v := letIn
	switch {
	case failed == nil:
	case failed.Status == http.StatusTooManyRequests:
		v = turnedAway
	case failed.Status == 0:
		v = unknown
	}
	var asked time.Duration
	if failed != nil {
		asked = failed.retryAfter
	}
	limited := k.api.gate.report(k.ticket, v, asked)
	if failed == nil {
		return 0, false
	}
	switch failed.class {
	case classLimited:
		return limited, true
	case classUnsent:
		return k.backoff.next(), true
	case classLost, classTrouble:
		return max(k.backoff.next(), asked), !k.once || k.rework != nil
	default:
		return 0, false
	}
}

// fits says whether a wait ends within the budget. One that doesn't is not
// begun.
func (k *call) fits(ctx context.Context, wait time.Duration, failed *Error) bool {
	end, bounded := ctx.Deadline()
	if !bounded || !time.Now().Add(wait).After(end) {
		return true
	}
	failed.gaveUp = fmt.Sprintf("the next attempt would have to wait %s, more than is left of retry_timeout (%s)", readable(wait), readable(k.retryTimeout))
	if failed.retryAfter > 0 && wait >= failed.retryAfter-time.Second {
		failed.gaveUp = fmt.Sprintf("the platform asked to wait %s, more than is left of retry_timeout (%s)", readable(failed.retryAfter), readable(k.retryTimeout))
	}
	return false
}

// reconsider asks anew what is to be done where an attempt that can't be
// repeated as it was may have been carried out.
func (k *call) reconsider(ctx context.Context, failed *Error) (done bool, err error) {
	if !k.once || !failed.ambiguous {
		return false, nil
	}
	again, err := k.rework(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return true, k.giveUp(context.Cause(ctx))
	case err != nil:
		failed.gaveUp = "reading it afresh, to see what was done, failed: " + err.Error()
		return true, k.conclude(failed)
	default:
		return !again, nil
	}
}

// giveUp is the error of a call whose wait ended before its next attempt.
func (k *call) giveUp(cause error) error {
	e := k.last
	if e == nil {
		e = &Error{class: classUnsent}
	}
	var late *tooLong
	switch {
	case k.last == nil && errors.Is(cause, errBudget):
		e.Err = fmt.Errorf("its turn did not come within retry_timeout (%s)", readable(k.retryTimeout))
	case errors.As(cause, &late), errors.Is(cause, errBudget):
		e.gaveUp = cause.Error()
		if k.last == nil {
			e.Err = cause
		}
	default: // the caller is gone
		e.class, e.Err = classInterrupted, cause
	}
	return k.conclude(e)
}

// conclude completes an error with what only the call knows.
func (k *call) conclude(e *Error) error {
	e.Operation, e.subject, e.settings = k.operation, k.subject, k.api.settings
	e.Attempts, e.Elapsed = k.tries, time.Since(k.started)
	e.write, e.retrying = k.method != http.MethodGet, k.retryTimeout > 0
	e.mask, e.notFound = k.Mask, e.own && k.named
	e.ambiguous = e.ambiguous || k.maybeDone
	return e
}

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
	a := newAnswer(response)
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
		e.Err = k.timedOut(ctx, limit)
	case e.class == classUnsent && isFinal(err):
		e.class = classFinal
	}
	return e
}

func (k *call) timedOut(ctx context.Context, limit time.Duration) error {
	switch {
	case limit < k.requestTimeout:
		return fmt.Errorf("no answer within %s, which is what was left of retry_timeout", readable(limit))
	case ctx.Err() != nil: // before a detached attempt was sent
		return errBudget
	}
	return fmt.Errorf("no answer within request_timeout (%s)", readable(limit))
}

// judge reads an answer.
func (k *call) judge(a *answer) *Error {
	if a.status >= 200 && a.status <= 299 {
		return k.judgeSuccess(a)
	}
	e := readError(a, k.Mask)
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

// logAttempt writes the one line of an attempt. The query is left out: its
// filters are the user's words.
func (k *call) logAttempt(ctx context.Context, failed *Error, took, wait time.Duration, again bool) {
	if k.log == nil {
		return
	}
	fields := map[string]any{
		"operation":   k.operation,
		"method":      k.method,
		"path":        k.Mask(k.url.EscapedPath()),
		"attempt":     k.tries,
		"duration_ms": took.Milliseconds(),
		"queued_ms":   k.queued.Milliseconds(),
	}
	if k.status != 0 {
		fields["status"] = k.status
	}
	if k.requestID != "" {
		fields["request_id"] = k.Mask(cleanText(k.requestID, 100))
	}
	if failed != nil {
		fields["error"] = k.Mask(failed.cause())
	}
	if again {
		fields["wait_ms"], fields["wait_reason"] = wait.Milliseconds(), failed.waitReason()
	}
	k.log(ctx, "Data Platform request", fields)
}
