package platform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// listLifetime is how long a list of services is reused: long enough for a
// refresh of many resources, short enough for the next command to see a change in
// the console. A failed list is reused as long, or each of a thousand resources
// would spend its retry_timeout on it.
const listLifetime = 30 * time.Second

// gathering is how long after the end of a list one that has to be fresh waits for
// readers. Terraform reads ten data sources at a time, and asks for the next ten when a
// list has served these: they share the next one.
const gathering = 50 * time.Millisecond

// maxLists is how many lists of the same services are remembered. A look needs the last
// four, see agreed.
const maxLists = 5

// lists are the lists of services of one client.
//
// A read of one service needs a list that began after the last write to that service, and
// after the last read of it: a resource reads its object once in a walk. A fresh read needs
// a list that begins after the read was asked for. The second rule for both was rejected: a
// refresh of many services would cost nearly as many lists.
//
// Beginnings, ends and writes are ordered by a count, since their times may be
// equal.
type lists struct {
	send func(context.Context, *rest.Request) error

	mu       sync.Mutex
	count    uint64
	series   map[string][]*list // of the same services, in the order of their beginnings
	outdated map[string]uint64  // the last write or read, by serviceKey
}

// list is one list of services, under way or done.
type list struct {
	*flight[*services]
	begun   uint64    // 0 until then
	ended   uint64    // set before it is done
	endedAt time.Time // as well
}

// services are the services of a list, in the API's order.
type services struct {
	all  []*entry
	byID map[string]*entry // the first of an ID
}

// entry is one service of a list. Only ID and name are decoded at once: an unusable
// field of one service must not break the reads of the others.
type entry struct {
	id, name string // the ID in lower case, the name in the normal form of Terraform's
	json     jsontext.Value
}

// outdate counts the beginning or the end of a write, successful or not, or the end of a
// read: who reads a service again does so in a later walk, and a process may serve several
// runs of a test. Lists that began before it do not serve reads of the service that begin
// after it.
func (l *lists) outdate(organizationID, serviceID string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.outdated == nil {
		l.outdated = map[string]uint64{}
	}
	l.count++
	l.outdated[serviceKey(organizationID, serviceID)] = l.count
}

// need is what a read needs of a list: that it began after a count.
type need struct {
	after uint64
	// fresh means that no list has begun after it yet.
	fresh bool
}

// sinceOutdated is the need of a read that has to show every write to a service.
func (l *lists) sinceOutdated(organizationID, serviceID string) need {
	l.mu.Lock()
	defer l.mu.Unlock()
	return need{after: l.outdated[serviceKey(organizationID, serviceID)]}
}

func serviceKey(organizationID, serviceID string) string {
	return strings.ToLower(organizationID + "/" + serviceID)
}

// fromNow is the need of a read that has to be at least as new as this moment.
func (l *lists) fromNow() need {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	return need{after: l.count, fresh: true}
}

// sight is what one list says of what is looked for.
type sight int

const (
	omitted sight = iota
	partial       // it has a service without a field that earlier lists had
	whole
)

// look lists services until the lists agree on what see looks for, and returns the
// lists to use: none if it does not exist, one that has it whole, or two that have
// different parts of it, the newest first. Only lists that the read needs are used.
// Those that are remembered count, so that many callers who miss something cost one more
// list together.
func (l *lists) look(ctx context.Context, r *rest.Request, first need, see func(*services) sight) (used []*services, err error) {
	for next := first; ; {
		newest, err := l.list(ctx, r, next)
		if err != nil {
			return nil, err
		}
		all := l.until(newest, r, first.after)
		sights := make([]sight, len(all))
		for i, one := range all {
			sights[i] = see(one)
		}
		if positions, decided := agreed(sights); decided {
			for _, at := range positions {
				used = append(used, all[at])
			}
			return used, nil
		}
		next.after = newest.ended
	}
}

// agreed decides what consecutive lists, oldest first, say together. It returns the
// positions of the lists to use.
//
//   - A newest list that has it whole decides.
//   - One that has a part needs a second one since the last that had it whole: a field
//     that both omit is empty on the platform.
//   - One that omits it needs another right before it.
//
// Whatever lists return, four decide.
func agreed(sights []sight) (use []int, decided bool) {
	newest := len(sights) - 1
	switch sights[newest] {
	case whole:
		return []int{newest}, true
	case omitted:
		return nil, newest > 0 && sights[newest-1] == omitted
	}
	for i := newest - 1; i >= 0 && sights[i] != whole; i-- {
		if sights[i] == partial {
			return []int{newest, i}, true
		}
	}
	return nil, false
}

// list returns a list that a read needs.
func (l *lists) list(ctx context.Context, r *rest.Request, n need) (*list, error) {
	found := l.join(ctx, r, n)
	_, err := found.wait(ctx, r)
	return found, err
}

// join returns the latest list if it serves a read and is still usable. Otherwise it
// starts another one. One that has to be fresh waits for the latest one to end, so that
// other readers join it. If that one has failed, it fails, too: an error shows no old
// values, and ten readers after ten would spend their retry_timeout on it.
func (l *lists) join(ctx context.Context, r *rest.Request, n need) *list {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, of := range l.series {
		if l.series[key] = slices.DeleteFunc(of, (*list).isStale); len(l.series[key]) == 0 {
			delete(l.series, key)
		}
	}
	var last *list
	key := listKey(r)
	if n := len(l.series[key]); n > 0 {
		last = l.series[key][n-1]
	}
	if last != nil && (last.begun == 0 || last.begun > n.after) && last.join() {
		return last
	}
	next := &list{}
	if !n.fresh {
		l.begin(next)
	}
	next.flight = launch(ctx, func(ctx context.Context) (*services, error) {
		if n.fresh {
			failed := await(ctx, last)
			l.mu.Lock()
			l.begin(next)
			l.mu.Unlock()
			if failed != nil {
				next.endedAt = last.endedAt
				return nil, failed
			}
		}
		found := &services{}
		r.Accept = found.accept
		err := l.send(ctx, r)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.count++
		next.ended, next.endedAt = l.count, time.Now()
		return found, err
	})
	if l.series == nil {
		l.series = map[string][]*list{}
	}
	l.series[key] = append(l.series[key], next)
	l.series[key] = l.series[key][max(0, len(l.series[key])-maxLists):]
	return next
}

func (l *lists) begin(next *list) {
	l.count++
	next.begun = l.count
}

// await waits until the last list has ended, and then for readers of the next one, such as
// those of the last one who read again. It returns the error of the last list, if it has one.
func await(ctx context.Context, last *list) error {
	if last == nil {
		return nil
	}
	select {
	case <-last.done:
	case <-ctx.Done():
		return nil // the request has the error
	}
	if last.hasFailed() {
		return last.err
	}
	select {
	case <-time.After(gathering - time.Since(last.endedAt)):
	case <-ctx.Done():
	}
	return nil
}

// hasFailed reports whether a list is done and has an error, other than that its readers
// have left.
func (l *list) hasFailed() bool {
	failed := new(rest.Error)
	return l.isDone() && l.err != nil && (!errors.As(l.err, &failed) || failed.Kind != rest.Interrupted)
}

// listKey is the same for requests that list the same services.
func listKey(r *rest.Request) string { return r.Key() + "?" + r.Query.Encode() }

func (l *list) isStale() bool { return l.isDone() && time.Since(l.endedAt) >= listLifetime }

// until returns the successful lists up to the newest one that began after the given
// count, oldest first.
func (l *lists) until(newest *list, r *rest.Request, after uint64) []*services {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*services
	for _, one := range l.series[listKey(r)] {
		if one.begun > after && one.begun < newest.begun && one.isDone() && one.err == nil {
			all = append(all, one.value)
		}
	}
	return append(all, newest.value)
}

// accept reads the response to a list. It discards what it read of an earlier attempt.
func (s *services) accept(r *rest.Response) error {
	s.all, s.byID = nil, map[string]*entry{}
	result, err := result(r, "result")
	if err != nil {
		return err
	}
	all, err := decode[[]jsontext.Value](result)
	if err != nil {
		return err
	}
	for i, value := range *all {
		var identity struct {
			ID   string `json:"id"`
			Name any    `json:"name"`
		}
		if err := json.Unmarshal(value, &identity, rest.Lenient); err != nil || identity.ID == "" {
			return fmt.Errorf("service %d of the list has no ID", i+1)
		}
		name, _ := identity.Name.(string)
		e := &entry{strings.ToLower(identity.ID), norm.NFC.String(name), value}
		if s.byID[e.id] == nil {
			s.byID[e.id] = e
		}
		s.all = append(s.all, e)
	}
	return nil
}

// named returns the services with a name, each ID once.
func (s *services) named(name string) (found []*entry) {
	for _, e := range s.all {
		if e.name == name && s.byID[e.id] == e {
			found = append(found, e)
		}
	}
	return found
}
