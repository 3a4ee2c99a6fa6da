package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
	mu     sync.Mutex
	count  uint64
	latest map[string]*listing
	// past are the last lists that succeeded, oldest first, for those that ask
	// whether two in a row omit a service.
	past    map[string][]*services
	written map[string]uint64 // by organization, and by organization and service
}

// maxPast is how many lists are remembered. What a look at a service has to know of
// the past is in three, see agreed.
const maxPast = 4

// listing is a list of services, in flight or ended. begun is its count.
type listing struct {
	*flight[*services]
	begun uint64
}

// services is the outcome of a list: the JSON of each service, in the API's
// order.
type services struct {
	err      error
	all      []jsontext.Value
	index    map[string]int      // positions in all, by ID in lower case
	twice    map[string]struct{} // IDs listed again with other content
	names    map[string][]string // IDs, by name
	begun    uint64
	ended    uint64
	begunAt  time.Time
	endedAt  time.Time
	reported atomic.Bool // a caller got err in full
	mask     func(string) string
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
func (c *Client) list(ctx context.Context, organizationID string, filter []string, after uint64) (*services, error) {
	shared := c.lists.join(ctx, organizationID, filter, after, c.fetchList)
	found, _, interrupted := shared.wait(ctx)
	if interrupted != nil {
		return nil, c.interrupted(ctx, "list services", servicesOf(organizationID))
	}
	if failed := new(Error); errors.As(found.err, &failed) && found.reported.Swap(true) {
		return nil, failed.repeated(found.endedAt)
	}
	return found, found.err
}

// sight is what one list says of what is looked for.
type sight int

const (
	omits      sight = iota
	incomplete       // it has a service without a field that earlier lists had
	complete
)

// look lists services until the lists agree on what see looks for, and returns the
// lists to use: none if it does not exist, one that is complete, or two that have
// different parts of it, the newest first. Only lists that began after the given
// count are used. Those that are remembered count, so that many callers who miss
// something cost one more list together.
func (c *Client) look(ctx context.Context, organizationID string, after uint64, see func(*services) sight) ([]*services, error) {
	for next := after; ; {
		newest, err := c.list(ctx, organizationID, nil, next)
		if err != nil {
			return nil, err
		}
		if see(newest) == complete { // the usual case does not look at the past
			return []*services{newest}, nil
		}
		all := c.lists.until(newest, organizationID, after)
		sights := make([]sight, len(all))
		for i, list := range all {
			sights[i] = see(list)
		}
		if used, decided := agreed(sights); decided {
			lists := make([]*services, len(used))
			for i, at := range used {
				lists[i] = all[at]
			}
			return lists, nil
		}
		next = max(after, newest.ended)
	}
}

// agreed decides what consecutive lists, oldest first, say together. It returns the
// positions of the lists to use.
//
//   - A newest list that is complete decides.
//   - One that is incomplete needs a second one since the last that was complete:
//     a field that both omit is empty on the platform.
//   - One that omits it needs another right before it.
//
// Whatever lists return, four decide.
func agreed(sights []sight) (use []int, decided bool) {
	newest := len(sights) - 1
	switch sights[newest] {
	case complete:
		return []int{newest}, true
	case omits:
		return nil, newest > 0 && sights[newest-1] == omits
	}
	for i := newest - 1; i >= 0 && sights[i] != complete; i-- {
		if sights[i] == incomplete {
			return []int{newest, i}, true
		}
	}
	return nil, false
}

// until returns the lists up to the newest one that began after the given count,
// oldest first. Lists that are too old when the newest began are omitted.
func (l *lists) until(newest *services, organizationID string, after uint64) []*services {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*services
	for _, list := range l.past[listKey(organizationID, nil)] {
		if list.begun > after && list.begun < newest.begun && newest.begunAt.Sub(list.endedAt) < listLifetime {
			all = append(all, list)
		}
	}
	return append(all, newest)
}

// remember keeps a list that has ended. The caller holds mu.
func (l *lists) remember(key string, found *services) {
	if found.err != nil {
		return
	}
	if l.past == nil {
		l.past = map[string][]*services{}
	}
	past := slices.DeleteFunc(l.past[key], func(list *services) bool { return found.begunAt.Sub(list.endedAt) >= listLifetime })
	at, _ := slices.BinarySearchFunc(past, found.begun, func(list *services, begun uint64) int { return cmp.Compare(list.begun, begun) })
	past = slices.Insert(past, at, found)
	l.past[key] = past[max(0, len(past)-maxPast):]
}

func listKey(organizationID string, filter []string) string {
	return strings.ToLower(organizationID) + "?" + url.Values{"filter": filter}.Encode()
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
	key := listKey(organizationID, filter)
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.latest[key]
	if last != nil && last.begun > after && last.alive(time.Now()) && last.join() {
		return last
	}
	l.count++
	next := &listing{begun: l.count}
	begun, begunAt := l.count, time.Now()
	next.flight = launch(ctx, func(ctx context.Context) (*services, error) {
		found := fetch(ctx, organizationID, filter)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.count++
		found.begun, found.begunAt = begun, begunAt
		found.ended, found.endedAt = l.count, time.Now()
		if len(filter) == 0 {
			l.remember(key, found)
		}
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
			delete(l.past, key)
		}
	}
}

func (l *listing) alive(now time.Time) bool {
	return !l.flight.ended() || now.Sub(l.value.endedAt) < listLifetime
}

func servicesOf(organizationID string) string { return "services of organization " + organizationID }

// fetchList lists an organization's services.
func (c *Client) fetchList(ctx context.Context, organizationID string, filter []string) *services {
	found := &services{mask: c.maskOutside}
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

// id is the ID of the service at a position, for a message.
func (s *services) id(at int) string {
	for id, first := range s.index {
		if first == at {
			return cleanText(s.mask(id), maxRequestID)
		}
	}
	return fmt.Sprintf("%d of the list", at+1)
}

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
	return decode[Service](s.all[at], s.mask)
}

// service is what the list says of a service. One that cannot be decoded is there:
// it is an error only if the list is used.
func (s *services) service(id string, isComplete func(*Service) bool) sight {
	service, err := s.find(id)
	switch {
	case err == nil && service == nil:
		return omits
	case err == nil && isComplete != nil && !isComplete(service):
		return incomplete
	default:
		return complete
	}
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
