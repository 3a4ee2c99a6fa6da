package mockplatform

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
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

// maxRequests limits the memory of a platform that runs for days.
const maxRequests = 20_000

// journal records requests when they arrive, so that a test can wait for one
// that hangs.
type journal struct {
	mu       sync.Mutex
	entries  []*Request
	inFlight int
	peak     int
}

func (j *journal) begin(r *http.Request, operation Operation) *Request {
	entry := &Request{
		Time: time.Now(), Operation: operation, Method: r.Method,
		Path: r.URL.EscapedPath(), Query: r.URL.Query(), Header: r.Header.Clone(),
	}
	entry.Header.Del("Authorization")
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, entry)
	if len(j.entries) > maxRequests {
		j.entries = j.entries[1:]
	}
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

// String has the request on a line, and its body on another, with secrets replaced.
func (r Request) String() string {
	path, status := r.Path, "(no response)"
	if len(r.Query) > 0 {
		path += "?" + r.Query.Encode()
	}
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	line := fmt.Sprintf("%s %-5s %s %s\n", r.Time.Format("15:04:05.000"), r.Method, path, status)
	if r.Body == "" {
		return line
	}
	body, err := decode([]byte(r.Body))
	if err != nil {
		return line + fmt.Sprintf("  (%d bytes that are not JSON)\n", len(r.Body))
	}
	return line + fmt.Sprintf("  %s\n", encode(mask(body, false)))
}

func mask(value any, isSecret bool) any {
	switch value := value.(type) {
	case Document:
		for name, member := range value {
			value[name] = mask(member, isSecret || name == "hashData" || slices.Contains(secretMembers, name))
		}
	case []any:
		for i, element := range value {
			value[i] = mask(element, isSecret)
		}
	case string:
		if isSecret {
			return "***"
		}
	}
	return value
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
// whose path contains a text.
func (s *Server) Count(method, part string) (n int) {
	for _, r := range s.Requests() {
		if (method == "" || r.Method == method) && strings.Contains(r.Path, part) {
			n++
		}
	}
	return n
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
