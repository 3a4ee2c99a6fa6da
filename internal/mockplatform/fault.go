package mockplatform

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fault makes the next requests that it matches fail. A request meets at most
// one fault, the oldest that matches. The effects of a fault can be combined: a
// delay, then a status, then a cut in that response.
type Fault struct {
	// Operation, Method and a part of the Path select requests; empty selects all.
	Operation Operation
	Method    string
	Path      string
	// Skip is the number of matching requests to skip first.
	Skip int
	// Times is the number of requests that fail: 0 means one, Always means all.
	Times int

	// After carries the request out before the fault.
	After bool
	// Later carries the request out this long after its arrival, whatever the client has received
	// or does meanwhile: a gateway gives up, and the server behind it does not. It needs a Status,
	// Hang or Reset.
	Later time.Duration
	// Half carries out only the removals of table mappings in a PATCH of a pipe before the fault.
	Half bool

	// Delay is the time to wait first.
	Delay time.Duration
	// Hang sends nothing until the client disconnects or ClearFaults is called.
	// With Cut, the response begins and then hangs.
	Hang bool
	// Reset resets the connection without a response. With Cut, the response
	// begins, and the client may receive less of it. A client of net/http retries
	// a GET after a reset of a reused connection, and Times counts the retry.
	Reset bool

	// Status and Body replace the real response.
	Status int
	Body   BodyKind
	// Text, if set, is the exact body of that response.
	Text string
	// Message is the message in Body.
	Message string
	// Header is added to the response, real or not, and replaces headers it has.
	Header http.Header
	// RetryAfter adds a Retry-After header in whole seconds, rounded up.
	RetryAfter time.Duration

	// Result is JSON text that replaces the real result (or data). ResultBefore returns the
	// object as it was before a PATCH.
	Result string
	// Edit changes the body of the real response.
	Edit func(body Document)

	// Cut ends the response early, after CutBytes bytes of its head or body. A
	// negative CutBytes counts from the end.
	Cut      Cut
	CutBytes int
}

// Always is the Times of a fault that lasts until ClearFaults is called.
const Always = -1

// ResultBefore is a Result that is no JSON text. A PATCH with it was carried out.
const ResultBefore = "before"

// Cut is where a response ends early.
type Cut string

// The places; "" means nowhere.
const (
	CutHead Cut = "head"
	CutBody Cut = "body"
)

// Inject adds a fault.
func (s *Server) Inject(f Fault) {
	if f.Times == 0 {
		f.Times = 1
	}
	s.faultsMu.Lock()
	defer s.faultsMu.Unlock()
	s.faults = append(s.faults, &f)
}

// ClearFaults removes all faults and ends the requests that hang.
func (s *Server) ClearFaults() {
	s.faultsMu.Lock()
	defer s.faultsMu.Unlock()
	s.faults = nil
	s.release()
	s.hanging, s.release = context.WithCancel(context.Background())
}

// takeFault returns the fault of a request, or the zero Fault.
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
		f.Times-- // Always never reaches 0
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
		strings.Contains(urlPath, f.Path)
}

// silent reports whether the client gets no response at all.
func (f *Fault) silent() bool { return (f.Hang || f.Reset) && f.Cut == "" }

func (h *handler) faultResponse() response {
	contentType, body := h.errorBody(h.fault.Body, h.fault.Status, cmp.Or(h.fault.Message, "injected fault"))
	if h.fault.Text != "" {
		body = []byte(h.fault.Text)
	}
	return newResponse(h.fault.Status, contentType, body)
}

func (f *Fault) addHeaders(header http.Header) {
	if f.RetryAfter > 0 {
		header.Set("Retry-After", wholeSeconds(f.RetryAfter))
	}
	for name, values := range f.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
}

// wholeSeconds rounds up, so that a client that waits is never early.
func wholeSeconds(wait time.Duration) string { return strconv.Itoa(int(math.Ceil(wait.Seconds()))) }

// editBody changes the real response, whose result is the named member.
func (f *Fault) editBody(body Document, name string) Document {
	if f.Result != "" && f.Result != ResultBefore {
		body[name] = json.RawMessage(f.Result)
	}
	if f.Edit != nil {
		f.Edit(body)
		body = normalizeDocument(body)
	}
	return body
}
