package platform

import (
	"context"
	"encoding/json"
	"errors"
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

// listLifetime is how long a list of services is reused: long enough for a refresh of many
// resources, short enough for the next command to see a change in the console. A failed
// list is reused as long, or each of a thousand resources would spend its retry_timeout on it.
const listLifetime = 30 * time.Second

// lists are the lists of services of one client. A read of one service uses the oldest list that
// began after the last write to the service, and after the end of the list that the last read of
// the service used, because that read is not repeated to get the same answer. So many reads at
// different times share few lists. A fresh read uses a list that begins after the call, or one that
// has failed, since an error shows no old values. Rejected: making every read a fresh one. A refresh
// of many services would cost nearly as many lists.
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
	expires      time.Time     // zero until its end
	done         chan struct{} // closed once everything else is final
	err          error
	services     []*service // in the API's order, each ID once
	next         string     // what announces a next page; "" if nothing does
	requestID    string
}

// service is one service of a list. Only its ID and name are read with the list, so that an unusable
// field of one service does not break the reads of the others.
type service struct {
	id, name  string // the ID in lower case, the name in the normal form of Terraform's
	decoded   any
	requestID string // of the list
}

// serviceKey is the same for all reads and writes of a service, listKey for requests that list the
// same services.
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
// those of the next list. If a list has a next page, what it omits is not known, which is an error.
// key is that of the service that is read; "" for a fresh read.
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
		if used.err != nil {
			return nil, used.err
		}
		for _, s := range used.services {
			if wanted == nil || wanted(s) {
				found = append(found, s)
			}
		}
		if used.next != "" && (wanted == nil || len(found) == 0) {
			return nil, unusable(r, used.requestID, fmt.Errorf("the list is incomplete: %s announces a next page, which the API document does not describe. "+
				"What the list omits may exist, so it counts neither as deleted nor as missing, and nothing is removed from the state", used.next))
		}
		if wanted == nil || len(found) > 0 {
			break
		}
	}
	return found, nil
}

// unusable is the error of a list that is complete, but of no use to one of its readers.
func unusable(r *rest.Request, requestID string, cause error) error {
	e := r.NewError(rest.Unreadable, cause)
	e.Status, e.RequestID, e.Attempts = http.StatusOK, requestID, 1
	return e
}

// join returns the oldest list that began after a count, or starts one. A list that it starts has
// the values of ctx, such as the logger, and is not cancelled with it: others may have joined.
func (l *lists) join(ctx context.Context, r *rest.Request, after uint64, fresh bool) *list {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := slices.DeleteFunc(l.last[listKey(r)], func(one *list) bool {
		return one.ended > 0 && !time.Now().Before(one.expires)
	})
	l.last[listKey(r)] = last
	if i := slices.IndexFunc(last, func(one *list) bool {
		return one.begun == 0 || one.begun > after || fresh && one.err != nil
	}); i >= 0 {
		return last[i]
	}
	var before *list
	if last = last[max(0, len(last)-1):]; len(last) > 0 && last[0].ended == 0 {
		before = last[0]
	}
	started := &list{done: make(chan struct{})}
	l.last[listKey(r)] = append(last, started)
	go l.run(context.WithoutCancel(ctx), r, started, before)
	return started
}

// run sends a list, once the one before it has ended, if that is under way. If that one fails, so does
// this one: otherwise, its readers would spend another retry_timeout.
func (l *lists) run(ctx context.Context, r *rest.Request, one, before *list) {
	var err error
	if before != nil {
		<-before.done
		err = before.err
	}
	l.mu.Lock()
	l.count++
	one.begun = l.count
	l.mu.Unlock()
	if r.Accept = one.accept; err == nil {
		err = l.do(ctx, r)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	one.ended, one.err, one.expires = l.count, err, time.Now().Add(listLifetime)
	close(one.done)
}

// accept reads the response to a list.
func (l *list) accept(r *rest.Response) error {
	envelope, err := successful(r, "result")
	if err != nil {
		return err
	}
	all, isArray := envelope["result"].([]any)
	if !isArray {
		return errors.New("its result is not an array")
	}
	delete(envelope, "result")
	l.requestID, l.next = r.RequestID, r.Clean(nextPage(envelope), words.MaxID)
	if linkToNext.MatchString(strings.Join(r.Header.Values("Link"), ",")) {
		l.next = "Link"
	}
	listed := map[string]bool{}
	for i, decoded := range all {
		id, _ := members(decoded)["id"].(string)
		name, _ := members(decoded)["name"].(string)
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

var (
	linkToNext = regexp.MustCompile(`(?i);\s*rel\s*=\s*"?[^",;]*\bnext\b`)
	// nextMember matches the names of members that announce a next page, such as nextPageToken,
	// next_cursor, @odata.nextLink, cursor and hasMore.
	nextMember = regexp.MustCompile(`(?i)(^|\W|_)(next(_?(page|token|cursor|link|ur[il]|offset|key|marker)\w*)?|cursor|has_?(more|next)\w*|continuation\w*)$`)
)

// nextPage returns the name of the member of an envelope, or of an object in it, that announces a next
// page; "" if none does. A member that is empty or false announces none.
func nextPage(envelope map[string]any) (next string) {
	for _, name := range slices.Sorted(maps.Keys(envelope)) {
		inner := members(envelope[name])
		list, _ := envelope[name].([]any)
		isScalar := inner == nil && list == nil && !slices.Contains([]any{nil, false, "", json.Number("0")}, envelope[name])
		if nextMember.MatchString(name) && (isScalar || len(inner)+len(list) > 0) {
			return strconv.Quote(name)
		}
		if next = nextPage(inner); next != "" {
			return next
		}
	}
	return ""
}
