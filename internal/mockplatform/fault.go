package mockplatform

import (
	"net/http"
	"path"
	"strings"
	"time"
)

// Fault is something that goes wrong with the next requests that it matches. A
// request meets at most one fault, the oldest that matches. What a fault does
// can be combined: a delay, then a status, then a cut in that answer.
type Fault struct {
	// Operation, Method and Path say which requests; empty is any. Path is a
	// pattern as in path.Match if it has one of *?[ and a substring otherwise.
	Operation Operation
	Method    string
	Path      string
	// Skip lets that many matching requests pass first.
	Skip int
	// Times is how many requests it meets: 0 is one, Always all.
	Times int

	// After lets the change be made first, and the fault meet its answer.
	After bool

	// Delay is waited.
	Delay time.Duration
	// Hang gives no answer until the client goes away, or ClearFaults. With
	// Cut, the answer begins and then hangs.
	Hang bool
	// Reset resets the connection: before the request is read, or with After
	// once the change was made. With Cut, it ends the answer that has begun, of
	// which the client may then see less. net/http sends a GET again by itself
	// if that happens on a connection that it had used before: Times counts that
	// request too.
	Reset bool

	// Status answers this, with Body, in place of the true answer.
	Status int
	// Body is the form of that answer's body.
	Body BodyKind
	// Text, where set, is that answer's body word for word.
	Text string
	// Message is the message inside the body.
	Message string
	// Header is added to the answer, true or false, over what it has.
	Header http.Header
	// RetryAfter adds that header in the form of RetryAfterForm, rounded up to
	// whole seconds.
	RetryAfter     time.Duration
	RetryAfterForm RetryAfterForm
	// Location redirects there, with Status or 307.
	Location string

	// Result is JSON text put in place of the true answer's result (or data);
	// ResultMissing leaves the member out.
	Result string
	// Edit changes the true answer's body otherwise.
	Edit func(body Document)

	// Cut ends the answer early, after CutBytes bytes of its head or its body;
	// negative numbers count from the end.
	Cut      Cut
	CutBytes int
	// Chunked sends the body in chunks, without a Content-Length.
	Chunked bool
	// Endless follows the beginning of a JSON answer with bytes without end.
	Endless bool
}

// Always is the Times of a fault that lasts until ClearFaults.
const Always = -1

// ResultMissing is the Result of an answer that has none.
const ResultMissing = "missing"

// Cut is where an answer ends early.
type Cut string

// The places.
const (
	CutNowhere Cut = ""
	CutHead    Cut = "head"
	CutBody    Cut = "body"
)

// Inject turns a fault on.
func (s *Server) Inject(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	if f.Location != "" && f.Status == 0 {
		f.Status = http.StatusTemporaryRedirect
	}
	s.faultsMu.Lock()
	defer s.faultsMu.Unlock()
	s.faults = append(s.faults, &f)
}

// ClearFaults turns every fault off, and lets go of the requests that hang.
func (s *Server) ClearFaults() {
	s.faultsMu.Lock()
	defer s.faultsMu.Unlock()
	s.faults = nil
	close(s.released)
	s.released = make(chan struct{})
}

// takeFault is the fault that a request meets, the zero Fault if none.
func (s *Server) takeFault(operation Operation, method, urlPath string) (Fault, <-chan struct{}) {
	s.faultsMu.Lock()
	defer s.faultsMu.Unlock()
	for i, f := range s.faults {
		if !f.matches(operation, method, urlPath) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.Times != Always {
			f.Times--
			if f.Times == 0 {
				s.faults = append(s.faults[:i:i], s.faults[i+1:]...)
			}
		}
		return *f, s.released
	}
	return Fault{}, s.released
}

func (f *Fault) matches(operation Operation, method, urlPath string) bool {
	return (f.Operation == "" || f.Operation == operation) &&
		(f.Method == "" || f.Method == method) &&
		pathMatches(f.Path, urlPath)
}

func pathMatches(pattern, urlPath string) bool {
	if strings.ContainsAny(pattern, "*?[") {
		matched, _ := path.Match(pattern, urlPath)
		return matched
	}
	return strings.Contains(urlPath, pattern)
}
