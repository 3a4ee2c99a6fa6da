package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"
)

// listLifetime is how long a list of services is reused: long enough for a
// refresh of many resources, short enough for the next command to see a change in
// the console. A failed list is reused as long, or each of a thousand resources
// would spend its retry_timeout on it.
const listLifetime = 30 * time.Second

// lists are the latest lists of services, one for each organization and filter.
//
// A read of one service needs a list that began after the last write to that
// service. A read of all services needs one that began after the last write to
// any of them. The second rule for both was rejected: adopting many services
// would cost nearly as many lists.
//
// Beginnings, ends and writes are ordered by a count, since their times may be
// equal.
type lists struct {
	mu      sync.Mutex
	count   uint64
	latest  map[string]*listing
	written map[string]uint64 // by organization, and by organization and service
}

// listing is a list of services, in flight or ended. begun is its count.
type listing struct {
	*flight[*services]
	begun   uint64
	earlier *earlier
}

// earlier is the list before this one. A service or a field that both omit does
// not exist, and no third list is needed to find out.
type earlier struct {
	begun uint64
	*services
}

// services is the outcome of a list: the JSON of each service, in the API's
// order.
type services struct {
	err      error
	all      []jsontext.Value
	index    map[string]int      // positions in all, by ID in lower case
	twice    map[string]struct{} // IDs listed again with other content
	names    map[string][]string // IDs, by name
	ended    uint64
	endedAt  time.Time
	reported atomic.Bool // a caller got err in full
}

// wrote counts the beginning or the end of a write, successful or not. Lists that
// began before it do not serve reads that begin after it.
func (l *lists) wrote(organizationID, serviceID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written == nil {
		l.written = map[string]uint64{}
	}
	l.count++
	l.written[strings.ToLower(organizationID)] = l.count
	l.written[strings.ToLower(organizationID+"/"+serviceID)] = l.count
}

func (l *lists) lastWrite(key string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written[strings.ToLower(key)]
}

// list returns a list that began after the given count. Only one caller gets the
// error of a failed list in full.
func (c *Client) list(ctx context.Context, organizationID string, filter []string, after uint64) (*listing, *services, error) {
	shared := c.lists.join(ctx, organizationID, filter, after, c.fetchList)
	found, _, interrupted := shared.wait(ctx)
	if interrupted != nil {
		return nil, nil, c.interrupted(ctx, "list services", servicesOf(organizationID))
	}
	if failed := new(Error); errors.As(found.err, &failed) && found.reported.Swap(true) {
		return shared, found, failed.repeated(found.endedAt)
	}
	return shared, found, found.err
}

// forgetFailed discards the failed lists.
func (l *lists) forgetFailed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, listing := range l.latest {
		if listing.flight.ended() && listing.value.err != nil {
			delete(l.latest, key)
		}
	}
}

type fetchList func(ctx context.Context, organizationID string, filter []string) *services

// join returns the latest list if it began after the given count and is still
// usable. Otherwise it starts another one.
func (l *lists) join(ctx context.Context, organizationID string, filter []string, after uint64, fetch fetchList) *listing {
	key := strings.ToLower(organizationID) + "?" + url.Values{"filter": filter}.Encode()
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.latest[key]
	if last != nil && last.begun > after && last.alive(time.Now()) && last.join() {
		return last
	}
	l.count++
	next := &listing{begun: l.count, earlier: last.remember(time.Now())}
	next.flight = launch(ctx, func(ctx context.Context) (*services, error) {
		found := fetch(ctx, organizationID, filter)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.count++
		found.ended, found.endedAt = l.count, time.Now()
		return found, nil
	})
	if l.latest == nil {
		l.latest = map[string]*listing{}
	}
	l.sweep(time.Now())
	l.latest[key] = next
	return next
}

// sweep discards the lists that are too old to be reused. The caller holds mu.
func (l *lists) sweep(now time.Time) {
	for key, listing := range l.latest {
		if !listing.alive(now) {
			delete(l.latest, key)
		}
	}
}

func (l *listing) alive(now time.Time) bool {
	return !l.flight.ended() || now.Sub(l.value.endedAt) < listLifetime
}

// remember returns the list for the one after it, nil if it cannot be used.
func (l *listing) remember(now time.Time) *earlier {
	if l == nil || !l.flight.ended() || l.value.err != nil || !l.alive(now) {
		return nil
	}
	return &earlier{begun: l.begun, services: l.value}
}

// lacks reports whether the earlier list began after the given count and has no
// such service.
func (e *earlier) lacks(id string, after uint64) bool {
	if e == nil || e.begun <= after {
		return false
	}
	_, there := e.index[strings.ToLower(id)]
	return !there
}

// lacksName reports whether the earlier list began after the given count and has
// no service of that name.
func (e *earlier) lacksName(name string, after uint64) bool {
	if e == nil || e.begun <= after {
		return false
	}
	named, err := e.named(name)
	return err == nil && len(named) == 0
}

func servicesOf(organizationID string) string { return "services of organization " + organizationID }

// fetchList lists an organization's services.
func (c *Client) fetchList(ctx context.Context, organizationID string, filter []string) *services {
	found := &services{}
	found.err = c.do(ctx, &request{
		operation:  "list services",
		subject:    servicesOf(organizationID),
		api:        c.management,
		method:     http.MethodGet,
		path:       []string{"v1", "organizations", organizationID, "services"},
		query:      url.Values{"filter": filter},
		collection: true,
		accept:     found.accept,
	})
	if found.err != nil {
		found.all, found.index = nil, nil
	}
	return found
}

// accept reads the response service by service, so that the whole response is
// never in memory beside them. It discards what it read of an earlier attempt.
func (s *services) accept(r *response) error {
	r.left = capList
	return r.envelope(func(decoder *jsontext.Decoder) error {
		s.all, s.index, s.twice, s.names = nil, map[string]int{}, map[string]struct{}{}, map[string][]string{}
		if decoder.PeekKind() != '[' {
			return r.wrongShape(decoder, "an array")
		}
		if _, err := decoder.ReadToken(); err != nil {
			return err
		}
		for decoder.PeekKind() != ']' {
			value, err := decoder.ReadValue()
			if err != nil {
				return err
			}
			if err := s.add(value); err != nil {
				return err
			}
		}
		_, err := decoder.ReadToken()
		return err
	})
}

// add keeps one service. It decodes only ID and name: an unusable field of one
// service must not break the reads of the others.
func (s *services) add(value jsontext.Value) error {
	var identity struct {
		ID   string `json:"id"`
		Name any    `json:"name"`
	}
	if err := json.Unmarshal(value, &identity, lenient); err != nil || identity.ID == "" {
		return fmt.Errorf("service %d of the list has no ID", len(s.all)+1)
	}
	value = value.Clone()
	id := strings.ToLower(identity.ID)
	if first, known := s.index[id]; !known {
		s.index[id] = len(s.all)
		if name, ok := identity.Name.(string); ok {
			name = norm.NFC.String(name) // as Terraform spells what it looks for
			s.names[name] = append(s.names[name], id)
		}
	} else if string(s.all[first]) != string(value) {
		s.twice[id] = struct{}{}
	}
	s.all = append(s.all, value)
	return nil
}

var errTwice = errors.New("the list contains this service twice, with different content")

// find decodes a copy of one service; nil if the list omits it.
func (s *services) find(id string) (*Service, error) {
	id = strings.ToLower(id)
	at, there := s.index[id]
	if !there {
		return nil, nil
	}
	if _, twice := s.twice[id]; twice {
		return nil, errTwice
	}
	return decode[Service](s.all[at])
}

// named decodes copies of the services that have a name.
func (s *services) named(name string) ([]Service, error) {
	var named []Service
	for _, id := range s.names[name] {
		service, err := s.find(id)
		if err != nil {
			return nil, fmt.Errorf("service %s: %w", id, err)
		}
		named = append(named, *service)
	}
	return named, nil
}
