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

// listLifetime is how long a list of services is reused: long enough for a refresh of many
// resources, short enough for the next command to see a change in the console. A failed
// list is reused as long, or each of a thousand resources would spend its retry_timeout on it.
const listLifetime = 30 * time.Second

// lists are the lists of services of one client. A read of one service uses the oldest list that
// began after the last write to the service, and after the end of the list that the last read of
// the service used, because that read is not repeated to get the same answer. So many reads at
// different times share few lists.
//
// A fresh read uses a list that begins after the call, or one that has failed, since an error shows
// no old values. Rejected: making every read a fresh one. A refresh of many services would cost
// nearly as many lists.
//
// A list begins once the previous list of the same services has ended, and every read that needs a
// newer list than that waits for it. So the two lists of a read that finds nothing are consecutive,
// and no list before the last two is needed.
type lists struct {
	do func(context.Context, *rest.Request) error

	mu    sync.Mutex
	count uint64             // of lists that have begun: it orders what may happen at the same time
	last  map[string][]*list // by listKey: at most two, the older one first
	after map[string]uint64  // by serviceKey: the next read needs a list that began after this count
}

// list is one list of services: waiting for the one before it, under way, or done.
type list struct {
	begun, ended uint64        // the counts at its beginning and its end; 0 until then
	done         chan struct{} // closed once err and services are final
	err          error
	services     []*service // in the API's order, each ID once

	users  int // see release
	cancel context.CancelFunc
	expiry *time.Timer
}

// service is one service of a list. Only its ID and name are read with the list, so that an unusable
// field of one service does not break the reads of the others.
type service struct {
	id, name string // the ID in lower case, the name in the normal form of Terraform's
	decoded  any
}

// serviceKey is the same for all reads and writes of a service.
func serviceKey(organizationID, serviceID string) string {
	return strings.ToLower(organizationID + "/" + serviceID)
}

// listKey is the same for requests that list the same services.
func listKey(r *rest.Request) string { return r.Tenant + "?" + r.Query.Encode() }

// outdate is called before and after each write to a service, whether it succeeds or not.
func (l *lists) outdate(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.after[key] = l.count
}

// find returns the wanted services of a list. If it finds none, it looks at the next list, and at
// most lists in all. key is that of the service that is read; "" for a fresh read.
func (l *lists) find(ctx context.Context, r *rest.Request, key string, most int, wanted func(*service) bool) (found []*service, err error) {
	l.mu.Lock()
	after := l.after[key]
	if key == "" {
		after = l.count
	}
	l.mu.Unlock()
	for i := 0; i < most && len(found) == 0; i++ {
		used := l.join(ctx, r, after, key == "")
		select {
		case <-used.done:
			err = used.err
		case <-ctx.Done():
			err = r.NewError(rest.Interrupted, context.Cause(ctx))
		}
		l.release(r, used, key)
		if err != nil {
			return nil, err
		}
		after = used.ended
		for _, s := range used.services {
			if wanted(s) {
				found = append(found, s)
			}
		}
	}
	return found, nil
}

// join returns the oldest list that began after a count, or starts one. A list that it starts has
// the values of ctx, such as the logger, and is not cancelled with it.
func (l *lists) join(ctx context.Context, r *rest.Request, after uint64, fresh bool) *list {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.last[listKey(r)]
	if i := slices.IndexFunc(last, func(one *list) bool {
		return one.begun == 0 || one.begun > after || fresh && one.err != nil
	}); i >= 0 {
		last[i].users++
		return last[i]
	}
	if len(last) == 2 {
		last[0].expiry.Stop() // it would keep the list in memory
	}
	started := &list{done: make(chan struct{}), users: 1}
	ctx, started.cancel = context.WithCancel(context.WithoutCancel(ctx))
	var before *list
	if last = last[max(0, len(last)-1):]; len(last) > 0 && last[0].ended == 0 {
		before = last[0]
	}
	l.last[listKey(r)] = append(last, started)
	go l.run(ctx, r, started, before)
	return started
}

// release ends one use of a list, by a read or by its lifetime. A list without users is cancelled
// and forgotten.
func (l *lists) release(r *rest.Request, left *list, key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.after[key] = max(l.after[key], left.ended)
	left.users--
	if left.users == 0 {
		left.cancel()
		l.last[listKey(r)] = slices.DeleteFunc(l.last[listKey(r)], func(one *list) bool { return one == left })
	}
}

// run sends a list, once the one before it has ended, if that is under way. If that one fails, so
// does this one. Otherwise, its readers would spend another retry_timeout.
func (l *lists) run(ctx context.Context, r *rest.Request, one, before *list) {
	if before != nil {
		<-before.done
	}
	l.mu.Lock()
	l.count++
	one.begun = l.count
	var err error
	if before != nil && before.users > 0 { // otherwise it was cancelled
		err = before.err
	}
	l.mu.Unlock()
	if err == nil {
		r.Accept = one.accept
		err = l.do(ctx, r)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	one.ended, one.err = l.count, err
	if one.users > 0 {
		one.users++ // for its lifetime
		one.expiry = time.AfterFunc(listLifetime, func() { l.release(r, one, "") })
	}
	close(one.done)
}

// accept reads the response to a list.
func (l *list) accept(r *rest.Response) error {
	result, err := result(r, "result")
	if err != nil {
		return err
	}
	all, isArray := result.([]any)
	if !isArray {
		return errors.New("its result is not an array")
	}
	listed := map[string]bool{}
	for i, decoded := range all {
		id, _ := members(decoded)["id"].(string)
		name, _ := members(decoded)["name"].(string)
		if id == "" {
			return fmt.Errorf("service %d of the list has no ID", i+1)
		}
		if s := (&service{strings.ToLower(id), norm.NFC.String(name), decoded}); !listed[s.id] {
			listed[s.id] = true
			l.services = append(l.services, s)
		}
	}
	return nil
}
