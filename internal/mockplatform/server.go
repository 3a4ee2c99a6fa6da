package mockplatform

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Server is a fake platform: an http.Handler, safe for concurrent use.
type Server struct {
	seed    Seed // only credentials and prefixes: the documents are in the store
	store   *store
	journal journal
	// requests is their number so far. Request IDs are made from it, so that a test can repeat them.
	requests atomic.Int64

	faultsMu sync.Mutex
	faults   []*Fault
	hanging  context.Context // ends the requests that hang
	release  context.CancelFunc

	behaviourMu sync.Mutex
	behaviour   Behaviour
	limiter     *limiter
	rotation    int // number of responses with shuffled sets
}

// New returns a platform that holds a copy of the seed.
func New(seed Seed) *Server {
	s := &Server{seed: seed, store: newStore(seed), limiter: new(limiter)}
	s.hanging, s.release = context.WithCancel(context.Background())
	s.seed.Organizations, s.seed.Alerts = nil, nil
	return s
}

// Configure changes the behaviour.
func (s *Server) Configure(change func(*Behaviour)) {
	s.behaviourMu.Lock()
	defer s.behaviourMu.Unlock()
	limit := s.behaviour.RateLimit
	change(&s.behaviour)
	if s.behaviour.RateLimit != limit {
		s.limiter = &limiter{limit: s.behaviour.RateLimit}
	}
}

func (s *Server) current() (Behaviour, *limiter) {
	s.behaviourMu.Lock()
	defer s.behaviourMu.Unlock()
	return s.behaviour, s.limiter
}

// maxBody is the maximum size of a body, in bytes: some 10,000 table mappings.
const maxBody = 4 << 20

// ServeHTTP responds to one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := s.newHandler(w, r)
	defer h.finish()
	var err error
	h.rawBody, err = io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		h.send(h.errorResponse(reject(http.StatusRequestEntityTooLarge, "the body must not exceed %d bytes", maxBody)))
		return
	}
	if err != nil {
		return // the client has disconnected
	}
	s.journal.update(h.entry, func(r *Request) { r.Body = string(h.rawBody) })
	fault := h.fault
	if !h.wait(h.behaviour.Latency) || !fault.After && !h.wait(fault.Delay) {
		return
	}
	if fault.Later > 0 {
		later := *h // so that the two share nothing that changes
		time.AfterFunc(fault.Later, func() { later.carryOut() })
	}
	var out response
	if fault.After || !fault.silent() {
		out = h.respond()
	}
	if fault.After && !h.wait(fault.Delay) {
		return
	}
	h.send(out)
}
