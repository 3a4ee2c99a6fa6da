package platform

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// listLifetime is how long a list is reused: long enough for a refresh of many resources, short enough for the next
// command to see a change. One that failed is, too, or each of a thousand reads would spend its retry_timeout on it.
const listLifetime = 30 * time.Second

// lists are the lists of services of one client. A read of one service uses a list that began after the last write to
// the service, and after the end of the list that the last read of the service used, because whoever reads again wants
// a newer answer. So many reads at different times share few lists. A fresh read uses a list that begins after the
// call, or one that has failed, since an error shows no old values. Rejected: making every read a fresh one. A refresh
// of many services would cost nearly as many lists. A list begins once the previous list of the same services has
// ended, and every read that needs a newer list waits for it. So the two lists of a read that finds nothing are
// consecutive. Both are kept, so that all services that are gone share them.
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
	expires      time.Time     // zero until its end
	done         chan struct{} // closed once everything else is final
	err          error
	services     []*service // in the API's order, each ID once
	more         string     // what may mean that the list is not all; "" if nothing does
	requestID    string
}

// service is one service of a list. A field that is unusable breaks only the reads of its own service.
type service struct {
	id, name  string // the ID in lower case, the name in the normal form of Terraform's
	decoded   any
	requestID string // of the list
}

// serviceKey is the same for all reads and writes of a service, listKey for requests that list the same services.
func serviceKey(organizationID, serviceID string) string {
	return strings.ToLower(organizationID + "/" + serviceID)
}

func listKey(r *rest.Request) string { return r.Tenant + "?" + r.Query.Encode() }

// outdate is called before and after each write to a service, whether it succeeds or not.
func (l *lists) outdate(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.after[key] = l.count
}

// find returns the services of a list, or if only some are wanted, these; if the list has none of them,
// those of the next list. key is that of the service that is read; "" for a fresh read.
func (l *lists) find(ctx context.Context, r *rest.Request, key string, wanted func(*service) bool) (found []*service, err error) {
	l.mu.Lock()
	after := l.after[key]
	if key == "" {
		after = l.count
	}
	l.mu.Unlock()
	for range 2 {
		used := l.join(ctx, r, after, key == "")
		select {
		case <-used.done:
		case <-ctx.Done():
			return nil, r.NewError(rest.Interrupted, context.Cause(ctx))
		}
		after = used.ended
		l.mu.Lock()
		l.after[key] = max(l.after[key], after)
		l.mu.Unlock()
		if found, err = used.find(r, wanted); err != nil || wanted == nil || len(found) > 0 {
			break
		}
	}
	return found, err
}

// find returns the wanted services of a list that has ended. If that may not be all, what it omits is an error.
func (l *list) find(r *rest.Request, wanted func(*service) bool) (found []*service, err error) {
	if l.err != nil {
		return nil, l.err
	}
	for _, s := range l.services {
		if wanted == nil || wanted(s) {
			found = append(found, s)
		}
	}
	if l.more != "" && (wanted == nil || len(found) == 0) {
		return nil, unusable(r, l.requestID, fmt.Errorf("the list may be incomplete: the response has %s, which the API document does not describe. "+
			"What the list omits may exist, so nothing is removed from the state. If the object is gone, use terraform state rm", l.more))
	}
	return found, nil
}

// unusable is the error of a list that is complete, but of no use to one of its readers.
func unusable(r *rest.Request, requestID string, cause error) error {
	e := r.NewError(rest.Unreadable, cause)
	e.Status, e.RequestID, e.Attempts = http.StatusOK, requestID, 1
	return e
}

// join returns the oldest list that began after a count, or starts one. That has the logger of ctx, which does not cancel it.
func (l *lists) join(ctx context.Context, r *rest.Request, after uint64, isFresh bool) *list {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := slices.DeleteFunc(l.last[listKey(r)], func(one *list) bool { return one.ended > 0 && !time.Now().Before(one.expires) })
	l.last[listKey(r)] = last
	for i, one := range last {
		isOld := one.err != nil && slices.ContainsFunc(last[i+1:], func(later *list) bool { return later.ended > 0 && later.err == nil })
		if !isOld && (one.begun == 0 || one.begun > after || isFresh && one.err != nil) {
			return one
		}
	}
	before, started := last[max(0, len(last)-1):], &list{done: make(chan struct{})}
	l.last[listKey(r)] = append(slices.Clone(before), started)
	go l.run(context.WithoutCancel(ctx), r, started, before)
	return started
}

// run sends a list, once the one before it has ended.
func (l *lists) run(ctx context.Context, r *rest.Request, one *list, before []*list) {
	for _, last := range before {
		<-last.done
	}
	l.mu.Lock()
	l.count++
	one.begun = l.count
	l.mu.Unlock()
	r.Accept = one.accept
	err := l.do(ctx, r)
	l.mu.Lock()
	defer l.mu.Unlock()
	one.ended, one.err, one.expires = l.count, err, time.Now().Add(listLifetime)
	close(one.done)
}

// accept reads the response to a list.
func (l *list) accept(r *rest.Response) error {
	if r.Doubt != nil {
		return r.Doubt
	}
	l.requestID, l.more = r.RequestID, more(r)
	listed := map[string]bool{}
	all, _ := r.Result.([]any)
	for i, decoded := range all {
		id, name := text(members(decoded)["id"]), text(members(decoded)["name"])
		if id == "" {
			return fmt.Errorf("service %d of the list has no ID", i+1)
		}
		if s := (&service{strings.ToLower(id), norm.NFC.String(name), decoded, r.RequestID}); !listed[s.id] {
			listed[s.id] = true
			l.services = append(l.services, s)
		}
	}
	return nil
}

var linkToNext = regexp.MustCompile(`(?i);\s*rel\s*=\s*"?[^",;]*\bnext\b`)

// more returns what of a response may mean that its list is not all: nobody knows which names do. "" if nothing does.
func more(r *rest.Response) string {
	if linkToNext.MatchString(strings.Join(r.Header.Values("Link"), ",")) {
		return "a link to a next page"
	}
	if r.Status != http.StatusOK {
		return fmt.Sprintf("HTTP status %d", r.Status)
	}
	envelope := members(r.Value)
	delete(envelope, "result")
	for _, name := range slices.Sorted(maps.Keys(envelope)) {
		value, _ := json.Marshal(envelope[name]) // never fails
		isEmpty := slices.Contains([]string{"null", "false", "0", `""`, "[]", "{}"}, string(value))
		if !isEmpty && !slices.Contains([]string{"status", "requestId"}, name) {
			return "the member " + r.Clean(strconv.Quote(name), words.MaxID)
		}
	}
	return ""
}
