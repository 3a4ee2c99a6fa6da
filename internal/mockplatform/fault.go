package mockplatform

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

// Fault is something that goes wrong with the next requests that it matches. A
// request meets at most one fault, the oldest that matches. What a fault does
// can be combined: a delay, then a status, then a cut in that response.
type Fault struct {
	// Operation, Method and Path select requests; empty selects any. Path is a
	// pattern as in path.Match if it has one of *?[ and a substring otherwise.
	Operation Operation
	Method    string
	Path      string
	// Skip is the number of matching requests that pass first.
	Skip int
	// Times is the number of requests that meet the fault: 0 is one, Always all.
	Times int

	// After applies the fault to the response, once the change is made.
	After bool

	// Delay is waited first.
	Delay time.Duration
	// Hang sends nothing until the client leaves, or ClearFaults. With Cut, the
	// response begins and then hangs.
	Hang bool
	// Reset resets the connection without a response. With Cut, the response
	// begins, of which the client may see less. net/http itself retries a GET
	// if that happens on a reused connection: Times counts that request too.
	Reset bool

	// Status and Body replace the true response.
	Status int
	Body   BodyKind
	// Text, if set, is the body of that response word for word.
	Text string
	// Message is the message inside Body.
	Message string
	// Header is added to the response, true or not, and replaces what it has.
	Header http.Header
	// RetryAfter adds that header, in whole seconds, rounded up.
	RetryAfter time.Duration
	// Location redirects there, with Status or 307.
	Location string

	// Result is JSON text in place of the true result (or data); ResultMissing
	// omits the member.
	Result string
	// Edit changes the body of the true response.
	Edit func(body Document)

	// Cut ends the response early, after CutBytes bytes of its head or its body;
	// negative numbers count from the end.
	Cut      Cut
	CutBytes int
	// Endless is repeated without end after the body.
	Endless string
}

// Always is the Times of a fault that lasts until ClearFaults.
const Always = -1

// ResultMissing is the Result of a response that has none.
const ResultMissing = "missing"

// Cut is where a response ends early.
type Cut string

// The places; "" is none.
const (
	CutHead Cut = "head"
	CutBody Cut = "body"
)

// Inject adds a fault.
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

// ClearFaults removes every fault, and releases the requests that hang.
func (s *Server) ClearFaults() {
	s.faultsMu.Lock()
	defer s.faultsMu.Unlock()
	s.faults = nil
	s.release()
	s.hanging, s.release = context.WithCancel(context.Background())
}

// takeFault returns the fault that a request meets, the zero Fault if none.
func (s *Server) takeFault(operation Operation, method, urlPath string) (Fault, context.Context) {
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
		f.Times-- // Always never comes to 0
		if f.Times == 0 {
			s.faults = slices.Delete(s.faults, i, i+1)
		}
		return *f, s.hanging
	}
	return Fault{}, s.hanging
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

// silent says that the client gets no response at all.
func (f *Fault) silent() bool { return (f.Hang || f.Reset) && f.Cut == "" }

func (f *Fault) breaksConnection() bool {
	return f.Hang || f.Reset || f.Cut != "" || f.Endless != ""
}

func (h *handler) faultResponse() response {
	contentType, body := h.errorBody(h.fault.Body, h.fault.Status, cmp.Or(h.fault.Message, "injected fault"))
	if h.fault.Text != "" {
		body = []byte(h.fault.Text)
	}
	return newResponse(h.fault.Status, contentType, body)
}

func (f *Fault) addHeaders(header http.Header) {
	if f.Location != "" {
		header.Set("Location", f.Location)
	}
	if f.RetryAfter > 0 {
		RetryAfterSeconds.Set(header, time.Now(), f.RetryAfter)
	}
	for name, values := range f.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
}

// editBody changes the true response, whose result is the named member.
func (f *Fault) editBody(body Document, name string) Document {
	if f.Result == ResultMissing {
		delete(body, name)
	} else if f.Result != "" {
		body[name] = json.RawMessage(f.Result)
	}
	if f.Edit != nil {
		f.Edit(body)
		body = normalizeDocument(body)
	}
	return body
}
