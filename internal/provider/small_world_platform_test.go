package provider

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// smallWorld is one of them, and what happens in it.
type smallWorld struct {
	*managed
	plan     smallPlan
	platform smallPlatform
	troubles []smallTrouble

	mu       sync.Mutex
	requests int         // of the apply so far
	was      []smallPipe // before each of them
	fault    string      // of the next one
	sequence int         // of requests, of what a colleague does, and of what is carried out
	isOver   bool
	acts     []smallAct
	doing    *smallEvent // the request that is carried out
	lastDone time.Time   // when the last one is
	events   []*smallEvent

	took             time.Duration
	errors, warnings []string
	wrong            []string // what the rules say
}

// smallTrouble is a fault of a request of the apply, counted from 0, and what a colleague does to a
// table before another one, or so long after the beginning.
type smallTrouble struct {
	fault            string
	faultAt          int
	colleague, table string
	actsBefore       int
	after            time.Duration
}

func (t smallTrouble) String() string {
	return fmt.Sprintf("%q at request %d, somebody %q %q before request %d or after %s", t.fault, t.faultAt, t.colleague, t.table, t.actsBefore, t.after)
}

// smallAct is what a colleague has done.
type smallAct struct {
	smallTrouble
	at       time.Time
	sequence int
}

// smallEvent is one request of the apply for the pipe.
type smallEvent struct {
	method, fault  string
	body           object
	accepted       bool // as its response says
	unknown        bool // a PATCH of which the provider cannot know whether it was, or will be, carried out
	before, after  smallPipe
	shown          *smallPipe // by the response, nil if there is none
	isOld          bool       // what it shows
	began, doneAt  time.Time
	sequence, done int // when it began, and was carried out, 0 if it was not
}

func (e *smallEvent) isPatch() bool { return e.method == http.MethodPatch }
func (e *smallEvent) removes() mappingSet {
	return mappingsOf(member(e.body, "source.postgres.tableMappingsToRemove"))
}
func (e *smallEvent) adds() mappingSet {
	return mappingsOf(member(e.body, "source.postgres.tableMappingsToAdd"))
}

func (w *smallWorld) held() smallPipe { return smallPipeOf(w.Pipe(w.id)) }

// next is the number of what happens now.
func (w *smallWorld) next() int { w.sequence++; return w.sequence }

// behave has the platform do what the API document leaves open, with its mappings with each PATCH, too.
func (w *smallWorld) behave(b *mockplatform.Behaviour) {
	if w.platform.behave != nil {
		w.platform.behave(b)
	}
	b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: tableMappings, Unsent: true, To: func(value any) any {
		edited := w.doing.adds()
		maps.Copy(edited, w.doing.removes())
		switch {
		case w.platform.dropsSet && len(edited) == 0:
			return nil
		case w.platform.dropsOthers && len(w.doing.removes()) > 0:
			return slices.DeleteFunc(listOf(value), func(mapping any) bool { return !edited.has(nameOf(mapping)) })
		}
		return value
	}}}
}

// dial connects for the next request, before which a colleague may act and a fault may be.
func (w *smallWorld) dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fault = ""; !w.isOver {
		w.was = append(w.was, w.held())
		for _, trouble := range w.troubles {
			if w.requests == trouble.actsBefore {
				w.act(trouble)
			}
			if w.requests == trouble.faultAt {
				w.fault = cmp.Or(w.fault, trouble.fault)
			}
		}
		w.requests++
	}
	if w.fault == "no connection" {
		w.network.Refuse(1)
	}
	return w.network.Dial(ctx, network, address)
}

// act has the colleague act.
func (w *smallWorld) act(trouble smallTrouble) {
	if trouble.colleague == "" {
		return
	}
	was := w.held()
	is := smallColleagues[trouble.colleague](was, trouble.table)
	if was.is(is) {
		return
	}
	w.UpdatePipe(w.id, func(doc mockplatform.Document) {
		setMember(doc, "name", is.name)
		setMember(doc, "source.postgres.host", is.host)
		setMember(doc, tableMappings, is.set.documents())
	})
	w.acts = append(w.acts, smallAct{trouble, time.Now(), w.next()})
}

// ServeHTTP is the platform, with the fault of the world.
func (w *smallWorld) ServeHTTP(writer http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Millisecond) // so that no two requests are of one time; with the lock, no time would pass
	w.mu.Lock()
	defer w.mu.Unlock()
	e := &smallEvent{method: r.Method, fault: w.fault, before: w.held(), began: time.Now(), sequence: w.next()}
	if text, _ := io.ReadAll(r.Body); len(text) > 0 {
		e.body = fromJSON(w.t, string(text)).(object)
	}
	if !w.isOver {
		w.events = append(w.events, e)
	}
	fault := smallFaults[e.fault]
	e.unknown = e.isPatch() && (fault.Reset || fault.Later > 0 || fault.Status == http.StatusServiceUnavailable ||
		fault.After && fault.Status != http.StatusForbidden)
	if fault.Later > 0 && e.isPatch() {
		w.lastDone = e.began.Add(fault.Later)
		later := r.Clone(context.Background())
		time.AfterFunc(fault.Later, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.carryOut(e, mockplatform.Fault{}, httptest.NewRecorder(), later)
		})
	}
	fault.Later, fault.Half = 0, fault.Half && len(e.removes()) > 0
	w.carryOut(e, fault, writer, r)
}

// carryOut lets the platform do a request, unless the fault prevents it, and respond.
func (w *smallWorld) carryOut(e *smallEvent, fault mockplatform.Fault, writer http.ResponseWriter, r *http.Request) {
	e.isOld = w.platform.lag > 0 && (!w.platform.returnsPatches || !e.isPatch())
	w.Configure(func(b *mockplatform.Behaviour) {
		if b.Responses.Lag = 0; e.isOld {
			b.Responses.Lag = w.platform.lag
		}
	})
	e.before, w.doing, r.Body = w.held(), e, http.NoBody
	switch {
	case w.platform.forgets:
		r.Method = http.MethodGet
	case e.isPatch():
		r.Body = io.NopCloser(strings.NewReader(toJSON(w.t, e.body)))
	}
	fault.Edit = func(response mockplatform.Document) {
		result := response["result"].(mockplatform.Document)
		if e.after = w.held(); e.isPatch() {
			e.done, e.doneAt = w.next(), time.Now()
		}
		if e.accepted = e.fault == ""; e.accepted {
			shown := smallPipeOf(result)
			e.shown = &shown
		}
	}
	w.Inject(fault)
	w.Server.ServeHTTP(writer, r)
}
