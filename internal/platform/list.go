package platform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// listLifetime is how long a list of services is reused: long enough for a
// refresh of many resources, short enough for the next command to see a change in
// the console. A failed list is reused as long, or each of a thousand resources
// would spend its retry_timeout on it.
const listLifetime = 30 * time.Second

// maxLists is how many lists of the same services are remembered, with every field of each
// service. Whoever reads twice needs two.
const maxLists = 4

// lists are the lists of services of one client. A read takes the oldest list that serves
// it, so that many who read at different times share few.
//
//   - A read of one service needs a list that began after the last write to that service,
//     and after the end of the list that its last read used: who reads again wants to know
//     more, for the same reason as others at that time, or in a later walk.
//   - A fresh read needs a list that begins after it was asked for, or one that has failed:
//     an error shows no old values. This rule for every read was rejected: a refresh of many
//     services would cost nearly as many lists.
//
// One list of the same services is under way at a time, and all whom it does not serve share
// the next one. So the two lists of who reads twice are consecutive.
//
// Beginnings, ends and writes are ordered by a count, since their times may be equal.
type lists struct {
	do func(context.Context, *rest.Request) error

	mu     sync.Mutex
	count  uint64
	series map[string][]*list // of the same services, oldest first
	since  map[string]uint64  // what the next read of a service needs, by serviceKey
}

// list is one list of services: to begin when the one before it has ended, under way, or
// done.
type list struct {
	begun, ended uint64 // 0 until then
	endedAt      time.Time
	done         chan struct{} // closed once all below is set
	err          error
	services     []*service          // in the API's order
	byID         map[string]*service // the first of an ID

	cancel  context.CancelFunc
	readers int // that have not left; without any, the list is cancelled
}

// service is one service of a list. Only ID and name are read at once: an unusable
// field of one service must not break the reads of the others.
type service struct {
	id, name string // the ID in lower case, the name in the normal form of Terraform's
	json     any
}

// serviceKey is the same for all reads and writes of a service.
func serviceKey(organizationID, serviceID string) string {
	return strings.ToLower(organizationID + "/" + serviceID)
}

// outdate counts the beginning or the end of a write, successful or not: later reads of the
// service need a list that begins after it.
func (l *lists) outdate(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	l.need(key, l.count)
}

func (l *lists) need(key string, after uint64) {
	l.since[key] = max(l.since[key], after)
}

// find returns the services that see finds in the list that serves a read, or, if it finds
// none, in the next list: none only if two consecutive lists have none. key is that of the
// service that is read; "" for a fresh read.
func (l *lists) find(ctx context.Context, r *rest.Request, key string, see func(*list) []*service) ([]*service, error) {
	used, err := l.read(ctx, r, key)
	if err != nil {
		return nil, err
	}
	if found := see(used); len(found) > 0 {
		return found, nil
	}
	if used, err = l.next(ctx, r, key, used.ended); err != nil {
		return nil, err
	}
	return see(used), nil
}

// read returns the list that serves a read, once it has ended.
func (l *lists) read(ctx context.Context, r *rest.Request, key string) (*list, error) {
	l.mu.Lock()
	after := l.since[key]
	if key == "" {
		l.count++
		after = l.count
	}
	l.mu.Unlock()
	return l.next(ctx, r, key, after)
}

// next returns the oldest list that began after a count, or for a fresh read one that has
// failed, once it has ended, and remembers that the service has used it.
func (l *lists) next(ctx context.Context, r *rest.Request, key string, after uint64) (*list, error) {
	found := l.join(ctx, r, after, key == "")
	select {
	case <-found.done:
		l.mu.Lock()
		defer l.mu.Unlock()
		if key != "" {
			l.need(key, found.ended)
		}
		return found, found.err
	case <-ctx.Done():
		l.leave(r, found)
		return nil, r.NewError(rest.Interrupted, context.Cause(ctx))
	}
}

// join returns the oldest list that began after a count, or starts one. That one gets the
// values of ctx, such as the logger, but not its cancellation.
func (l *lists) join(ctx context.Context, r *rest.Request, after uint64, orFailed bool) *list {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, all := range l.series {
		if l.series[key] = slices.DeleteFunc(all, (*list).isStale); len(l.series[key]) == 0 {
			delete(l.series, key)
		}
	}
	key := listKey(r)
	var last *list
	for _, last = range l.series[key] {
		if last.begun == 0 || last.begun > after || orFailed && last.isDone() && last.err != nil {
			last.readers++
			return last
		}
	}
	started := &list{done: make(chan struct{}), readers: 1}
	ctx, started.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if last != nil && last.isDone() {
		last = nil
	}
	go l.run(ctx, r, started, last)
	l.series[key] = append(l.series[key], started)
	l.series[key] = l.series[key][max(0, len(l.series[key])-maxLists):]
	return started
}

// leave takes a reader from a list, and cancels it if that was the last one.
func (l *lists) leave(r *rest.Request, left *list) {
	l.mu.Lock()
	defer l.mu.Unlock()
	left.readers--
	if left.readers > 0 || left.isDone() {
		return
	}
	left.cancel()
	key := listKey(r)
	l.series[key] = slices.DeleteFunc(l.series[key], func(one *list) bool { return one == left })
}

// run carries out a list, once the one before it has ended, if there is one. If that one
// has failed, so has this one: ten readers after ten would spend their retry_timeout on it.
func (l *lists) run(ctx context.Context, r *rest.Request, one, before *list) {
	defer close(one.done)
	defer one.cancel()
	if before != nil {
		select {
		case <-before.done:
		case <-ctx.Done():
			return // nobody waits for it
		}
	}
	l.mu.Lock()
	l.count++
	one.begun = l.count
	if before != nil && before.readers > 0 {
		one.err = before.err
	}
	l.mu.Unlock()
	if one.err == nil {
		r.Accept = one.accept
		one.err = l.do(ctx, r)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	one.ended, one.endedAt = l.count, time.Now()
}

// listKey is the same for requests that list the same services.
func listKey(r *rest.Request) string { return r.Realm + "?" + r.Query.Encode() }

func (l *list) isDone() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

func (l *list) isStale() bool { return l.isDone() && time.Since(l.endedAt) >= listLifetime }

// accept reads the response to a list. It discards what it read of an earlier attempt.
func (l *list) accept(r *rest.Response) error {
	l.services, l.byID = nil, map[string]*service{}
	result, err := result(r, "result")
	if err != nil {
		return err
	}
	all, isArray := result.([]any)
	if !isArray {
		return errors.New("its result is not an array")
	}
	for i, value := range all {
		id, _ := members(value)["id"].(string)
		if id == "" {
			return fmt.Errorf("service %d of the list has no ID", i+1)
		}
		name, _ := members(value)["name"].(string)
		s := &service{strings.ToLower(id), norm.NFC.String(name), value}
		if l.byID[s.id] == nil {
			l.byID[s.id] = s
		}
		l.services = append(l.services, s)
	}
	return nil
}

// withID returns the service with an ID, if there is one.
func (l *list) withID(id string) []*service {
	if s := l.byID[strings.ToLower(id)]; s != nil {
		return []*service{s}
	}
	return nil
}

// named returns the services with a name, each ID once.
func (l *list) named(name string) (found []*service) {
	for _, s := range l.services {
		if s.name == name && l.byID[s.id] == s {
			found = append(found, s)
		}
	}
	return found
}
