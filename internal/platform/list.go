package platform

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
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

// maxPast is how many lists are remembered. What a look at a service has to know of
// the past is in three, see agreed.
const maxPast = 4

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
	mu      sync.Mutex
	count   uint64
	series  map[string]*series // by organization and filter, see listKey
	written map[string]uint64  // by organization, and by organization and service
}

// series are consecutive lists of the same services.
type series struct {
	latest *flight[*services]
	begun  uint64 // the latest
	// past are the last lists that succeeded, oldest first, for those who ask whether
	// two in a row omit a service.
	past []*services
}

// services is the outcome of a list, in the API's order.
type services struct {
	err            error
	all            []entry
	index          map[string]int // the first position of an ID, in lower case
	begun, ended   uint64
	begunAt, endAt time.Time
	reported       atomic.Bool // a caller got err in full
	mask           func(string) string
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

func listKey(organizationID string, filter []string) string {
	return strings.ToLower(organizationID) + "?" + url.Values{"filter": filter}.Encode()
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
func (l *lists) look(ctx context.Context, key string, after uint64, fetch fetchList, see func(*services) sight) (used []*services, err, interrupted error) {
	for next := after; ; {
		newest, err, interrupted := l.list(ctx, key, next, fetch)
		if err != nil || interrupted != nil {
			return nil, err, interrupted
		}
		if see(newest) == complete { // the usual case does not look at the past
			return []*services{newest}, nil, nil
		}
		all := l.until(newest, key, after)
		sights := make([]sight, len(all))
		for i, list := range all {
			sights[i] = see(list)
		}
		if positions, decided := agreed(sights); decided {
			for _, at := range positions {
				used = append(used, all[at])
			}
			return used, nil, nil
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

// list returns a list that began after the given count. Only one caller gets the
// error of a failed list in full.
func (l *lists) list(ctx context.Context, key string, after uint64, fetch fetchList) (found *services, err, interrupted error) {
	if found, _, interrupted = l.join(ctx, key, after, fetch).wait(ctx); interrupted != nil {
		return nil, nil, interrupted
	}
	if failed := new(Error); errors.As(found.err, &failed) && found.reported.Swap(true) {
		return nil, failed.Repeated(found.endAt), nil
	}
	return found, found.err, nil
}

type fetchList func(context.Context) *services

// join returns the latest list if it began after the given count and is still
// usable. Otherwise it starts another one.
func (l *lists) join(ctx context.Context, key string, after uint64, fetch fetchList) *flight[*services] {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := l.series[key]
	if of != nil && of.begun > after && of.isFresh() && of.latest.join() {
		return of.latest
	}
	for key, of := range l.series {
		if !of.isFresh() {
			delete(l.series, key)
		}
	}
	if of = l.series[key]; of == nil {
		if l.series == nil {
			l.series = map[string]*series{}
		}
		of = &series{}
		l.series[key] = of
	}
	l.count++
	of.begun = l.count
	begun, begunAt := l.count, time.Now()
	of.latest = launch(ctx, func(ctx context.Context) (*services, error) {
		found := fetch(ctx)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.count++
		found.begun, found.begunAt = begun, begunAt
		found.ended, found.endAt = l.count, time.Now()
		of.remember(found)
		return found, nil
	}, func() {})
	return of.latest
}

func (s *series) isFresh() bool {
	return s.latest == nil || !s.latest.ended() || time.Since(s.latest.value.endAt) < listLifetime
}

// remember keeps a list that has succeeded.
func (s *series) remember(found *services) {
	if found.err != nil {
		return
	}
	s.past = slices.DeleteFunc(s.past, func(list *services) bool { return found.begunAt.Sub(list.endAt) >= listLifetime })
	at, _ := slices.BinarySearchFunc(s.past, found.begun, func(list *services, begun uint64) int { return cmp.Compare(list.begun, begun) })
	s.past = slices.Insert(s.past, at, found)
	s.past = s.past[max(0, len(s.past)-maxPast):]
}

// until returns the lists up to the newest one that began after the given count,
// oldest first. Lists that are too old when the newest began are omitted.
func (l *lists) until(newest *services, key string, after uint64) []*services {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []*services
	if of := l.series[key]; of != nil {
		for _, list := range of.past {
			if list.begun > after && list.begun < newest.begun && newest.begunAt.Sub(list.endAt) < listLifetime {
				all = append(all, list)
			}
		}
	}
	return append(all, newest)
}

// forgetFailed discards the failed lists.
func (l *lists) forgetFailed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, of := range l.series {
		if of.latest.ended() && of.latest.value.err != nil {
			of.begun = 0 // so that nobody joins it
		}
	}
}

// accept reads the response to a list. It discards what it read of an earlier attempt.
func (s *services) accept(r *rest.Response) error {
	s.mask, s.all, s.index = r.Mask, nil, map[string]int{}
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
		e := entry{strings.ToLower(identity.ID), norm.NFC.String(name), value}
		if _, known := s.index[e.id]; !known {
			s.index[e.id] = i
		}
		s.all = append(s.all, e)
	}
	return nil
}

// named returns the positions of the services with a name, each ID once.
func (s *services) named(name string) (positions []int) {
	for i, e := range s.all {
		if e.name == name && s.index[e.id] == i {
			positions = append(positions, i)
		}
	}
	return positions
}
