package mockplatform

import (
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Request is one entry of the journal.
type Request struct {
	Time time.Time
	// Operation is empty if method and path match none of the six.
	Operation Operation
	Method    string
	// Path is the path as sent, with escapes and prefix.
	Path  string
	Query url.Values
	// Header has the headers of the client, except Authorization.
	Header http.Header
	// Body is the body as sent.
	Body string
	// Status is the status of the response, 0 if there was none.
	Status int
}

// journal records requests when they arrive, so that a test can wait for one
// that hangs.
type journal struct {
	mu       sync.Mutex
	entries  []*Request
	inFlight int
	peak     int
}

func (j *journal) begin(r *http.Request, operation Operation, size int) *Request {
	entry := &Request{
		Time: time.Now(), Operation: operation, Method: r.Method,
		Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header.Clone(),
	}
	entry.Header.Del("Authorization")
	j.mu.Lock()
	defer j.mu.Unlock()
	if size > 0 && len(j.entries) >= size {
		j.entries = slices.Delete(j.entries, 0, len(j.entries)-size+1)
	}
	j.entries = append(j.entries, entry)
	j.inFlight++
	j.peak = max(j.peak, j.inFlight)
	return entry
}

func (j *journal) update(entry *Request, change func(*Request)) {
	j.mu.Lock()
	defer j.mu.Unlock()
	change(entry)
}

func (j *journal) end(entry *Request) Request {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.inFlight--
	return *entry
}

// Requests returns the recorded requests in the order of their arrival.
func (s *Server) Requests() []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	out := make([]Request, len(s.journal.entries))
	for i, entry := range s.journal.entries {
		out[i] = *entry
	}
	return out
}

// RequestsOf returns the recorded requests of one operation.
func (s *Server) RequestsOf(operation Operation) []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Operation != operation })
}

// Writes returns the bodies of the recorded requests that change something.
func (s *Server) Writes() (bodies []string) {
	for _, r := range s.Requests() {
		if r.Method != http.MethodGet {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

// Count returns the number of recorded requests with this method ("" means any)
// and a path that matches as in Fault.Path.
func (s *Server) Count(method, pathPattern string) int {
	return len(slices.DeleteFunc(s.Requests(), func(r Request) bool {
		return method != "" && r.Method != method || !pathMatches(pathPattern, r.Path)
	}))
}

// PeakInFlight returns the maximum number of concurrent requests.
func (s *Server) PeakInFlight() int {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return s.journal.peak
}

// ResetJournal removes all recorded requests.
func (s *Server) ResetJournal() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.entries = nil
	s.journal.peak = s.journal.inFlight
}
