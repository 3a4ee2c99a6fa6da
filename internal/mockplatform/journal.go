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
	// Operation is empty where the path and method are none of the six.
	Operation Operation
	Method    string
	// Path is as sent, escapes and prefix included.
	Path  string
	Query url.Values
	// Header is what the client sent, less what holds secrets.
	Header http.Header
	// Body is the JSON text as sent. It is empty where the connection was reset
	// before the body was read.
	Body string
	// Status is what was answered, 0 as long as nothing was.
	Status int
	// Duration runs until the answer was written, 0 until then.
	Duration time.Duration
}

// journal keeps the requests. Its entries stand from the moment a request
// arrives, so that a test can wait for a request that hangs.
type journal struct {
	mu       sync.Mutex
	entries  []*Request
	inFlight int
	peak     int
}

func (j *journal) begin(r *http.Request, operation Operation, size int) *Request {
	header := r.Header.Clone()
	header.Del("Authorization")
	header.Del("Proxy-Authorization")
	header.Del("Cookie")
	entry := &Request{
		Time: time.Now(), Operation: operation, Method: r.Method,
		Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: header,
	}
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
	entry.Duration = time.Since(entry.Time)
	return *entry
}

// Requests are the requests so far, in the order of their arrival.
func (s *Server) Requests() []Request {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	out := make([]Request, len(s.journal.entries))
	for i, entry := range s.journal.entries {
		out[i] = *entry
	}
	return out
}

// RequestsOf are the requests of one operation.
func (s *Server) RequestsOf(operation Operation) []Request {
	return slices.DeleteFunc(s.Requests(), func(r Request) bool { return r.Operation != operation })
}

// Count is the number of requests with this method ("" is any) and a path that
// matches, as in Fault.Path.
func (s *Server) Count(method, pathPattern string) int {
	count := 0
	for _, r := range s.Requests() {
		if (method == "" || r.Method == method) && pathMatches(pathPattern, r.Path) {
			count++
		}
	}
	return count
}

// PeakInFlight is the largest number of requests that were under way at once.
func (s *Server) PeakInFlight() int {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	return s.journal.peak
}

// ResetJournal forgets the requests so far.
func (s *Server) ResetJournal() {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	s.journal.entries = nil
	s.journal.peak = s.journal.inFlight
}
