package mockplatform

import (
	"net/http"
	"strings"
	"sync"
)

// Server is a fake platform: an http.Handler, safe for concurrent use.
type Server struct {
	seed    Seed // credentials and prefixes; the documents live in the store
	journal journal
	limiter limiter
	store   *store

	faultsMu sync.Mutex
	faults   []*Fault
	released chan struct{} // closed when hanging requests are let go

	behaviourMu sync.Mutex
	behaviour   Behaviour
	sparseLeft  []int // answers that each Sparse with Times still applies to
	turn        int   // counts shuffled answers
}

// New makes a platform that holds a copy of the seed.
func New(seed Seed) *Server {
	s := &Server{seed: seed, released: make(chan struct{}), store: newStore(seed)}
	s.seed.Organizations, s.seed.Alerts = nil, nil
	s.seed.ManagementPrefix = cleanPrefix(seed.ManagementPrefix)
	s.seed.AlertingPrefix = cleanPrefix(seed.AlertingPrefix)
	return s
}

func cleanPrefix(prefix string) string {
	prefix = strings.Trim(prefix, "/")
	if prefix == "" {
		return ""
	}
	return "/" + prefix
}

// Configure changes the lasting behaviour. What the change doesn't touch stays
// as it is, but each Sparse counts its Times anew.
func (s *Server) Configure(change func(*Behaviour)) {
	s.behaviourMu.Lock()
	defer s.behaviourMu.Unlock()
	change(&s.behaviour)
	s.sparseLeft = make([]int, len(s.behaviour.Answers.Sparse))
	for i, rule := range s.behaviour.Answers.Sparse {
		s.sparseLeft[i] = rule.Times
	}
	s.limiter.configure(s.behaviour.RateLimit)
}

func (s *Server) currentBehaviour() Behaviour {
	s.behaviourMu.Lock()
	defer s.behaviourMu.Unlock()
	return s.behaviour
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := s.open(w, r)
	defer x.close()
	if x.fault.Reset && !x.fault.After && x.fault.Cut == CutNowhere {
		x.reset()
		return
	}
	if err := x.readBody(); err != nil {
		x.send(x.errorAnswer(refuse(http.StatusRequestEntityTooLarge, "the body can't be read: %v", err)))
		return
	}
	if !x.wait(x.behaviour.Latency) {
		return
	}
	if !x.fault.After && !x.strike() {
		return
	}
	out := x.answer()
	if x.fault.After && !x.strike() {
		return
	}
	x.send(out)
}
