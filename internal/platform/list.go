package platform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// maxLists is how many lists of the same services are remembered. A look needs the last
// four, see agreed.
const maxLists = 5

// lists are the lists of services of one client.
//
// A read of one service needs a list that began after the last write to that
// service. A read of all services needs one that began after the last write to
// any of them. The second rule for both was rejected: adopting many services
// would cost nearly as many lists.
//
// Beginnings, ends and writes are ordered by a count, since their times may be
// equal.
type lists struct {
	send func(context.Context, *rest.Request) error

	mu      sync.Mutex
	count   uint64
	series  map[string][]*list // of the same services, in the order of their beginnings
	written map[string]uint64  // by organization, and by organization and service
}

// list is one list of services, under way or done.
type list struct {
	*flight[*services]
	begun   uint64
	ended   uint64      // set before it is done
	endedAt time.Time   // as well
	inFull  atomic.Bool // a caller got the error in full
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

// sight is what one list says of what is looked for.
type sight int

const (
	omitted sight = iota
	partial       // it has a service without a field that earlier lists had
	whole
)

// look lists services until the lists agree on what see looks for, and returns the
// lists to use: none if it does not exist, one that has it whole, or two that have
// different parts of it, the newest first. Only lists that began after the given
// count are used. Those that are remembered count, so that many callers who miss
// something cost one more list together.
func (l *lists) look(ctx context.Context, r *rest.Request, after uint64, see func(*services) sight) (used []*services, err error) {
	for next := after; ; {
		newest, err := l.list(ctx, r, next)
		if err != nil {
			return nil, err
		}
		all := l.until(newest, r, after)
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
		next = newest.ended
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

// list returns a list that began after the given count. Only one caller gets the
// error of a failed list in full.
func (l *lists) list(ctx context.Context, r *rest.Request, after uint64) (*list, error) {
	found := l.join(ctx, r, after)
	_, err := found.wait(ctx, r)
	if failed := new(rest.Error); errors.As(err, &failed) && failed.Kind != rest.Interrupted && found.inFull.Swap(true) {
		return nil, failed.Repeated(found.endedAt)
	}
	return found, err
}

// join returns the latest list if it began after the given count and is still
// usable. Otherwise it starts another one.
func (l *lists) join(ctx context.Context, r *rest.Request, after uint64) *list {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, of := range l.series {
		if l.series[key] = slices.DeleteFunc(of, (*list).isStale); len(l.series[key]) == 0 {
			delete(l.series, key)
		}
	}
	of := l.series[listKey(r)]
	if newest := len(of) - 1; newest >= 0 && of[newest].begun > after && of[newest].join() {
		return of[newest]
	}
	l.count++
	next := &list{begun: l.count}
	next.flight = launch(ctx, func(ctx context.Context) (*services, error) {
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
	of = append(of, next)
	l.series[listKey(r)] = of[max(0, len(of)-maxLists):]
	return next
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

// forgetFailed discards the failed lists.
func (l *lists) forgetFailed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, of := range l.series {
		l.series[key] = slices.DeleteFunc(of, func(one *list) bool { return one.isDone() && one.err != nil })
	}
}

// accept reads the response to a list. It discards what it read of an earlier attempt.
func (s *services) accept(r *rest.Response) error {
	s.all, s.byID = nil, map[string]*entry{}
	result, err := result(r, "result")
	if err != nil {
		return err
	}
	all, err := decode[[]jsontext.Value](result, r.Mask)
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
