package provider

import (
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
	"syscall"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// smallWorld is one of them, and what happens in it.
type smallWorld struct {
	*managed
	plan       smallPlan
	platform   smallPlatform
	troubles   []smallTrouble
	transports []*http.Transport // of all processes

	mu       sync.Mutex
	requests int // of the apply so far
	sequence int // of requests, of what a colleague does, and of what is carried out
	isOver   bool
	acts     []smallAct
	body     object      // of the PATCH that is carried out
	patch    *smallEvent // the last one that was
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

func (e *smallEvent) removes() mappingSet {
	return mappingsOf(member(e.body, "source.postgres.tableMappingsToRemove"))
}
func (e *smallEvent) adds() mappingSet {
	return mappingsOf(member(e.body, "source.postgres.tableMappingsToAdd"))
}

func (w *smallWorld) held() smallPipe { return smallPipeOf(w.Pipe(w.id)) }

// next is the number of what happens now.
func (w *smallWorld) next() int { w.sequence++; return w.sequence }

// rewrite lets the platform store other mappings with each PATCH.
func (w *smallWorld) rewrite(b *mockplatform.Behaviour, to func([]any) any) {
	b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: tableMappings, Unsent: true, To: func(value any) any {
		if all, ok := value.([]any); ok {
			return to(all)
		}
		return value
	}}}
}

// edited are the names of the mappings that the PATCH adds or removes.
func (w *smallWorld) edited() (names []string) {
	for _, list := range []string{"tableMappingsToAdd", "tableMappingsToRemove"} {
		names = append(names, slices.Collect(maps.Keys(mappingsOf(member(w.body, "source.postgres."+list))))...)
	}
	return names
}

// dial connects for the next request, before which a colleague may act and a fault may be.
func (w *smallWorld) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if w.isOver {
		return w.network.Dial(ctx, network, address)
	}
	w.mu.Lock()
	at := w.requests
	w.requests++
	w.mu.Unlock()
	for _, trouble := range w.troubles {
		if at == trouble.actsBefore {
			w.act(trouble)
		}
	}
	if w.fault(at) == "no connection" {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return w.network.Dial(ctx, network, address)
}

// act has the colleague act.
func (w *smallWorld) act(trouble smallTrouble) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if trouble.colleague == "" || w.isOver {
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

// fault is that of a request, "" for none.
func (w *smallWorld) fault(at int) string {
	for _, trouble := range w.troubles {
		if trouble.faultAt == at && trouble.fault != "" {
			return trouble.fault
		}
	}
	return ""
}

// ServeHTTP is the platform, with the fault of the world.
func (w *smallWorld) ServeHTTP(writer http.ResponseWriter, r *http.Request) {
	time.Sleep(time.Millisecond) // so that no two requests are of one time; with the lock, no time would pass
	w.mu.Lock()
	defer w.mu.Unlock()
	fault := ""
	if !w.isOver {
		fault = w.fault(w.requests - 1)
	}
	text, _ := io.ReadAll(r.Body)
	e := &smallEvent{method: r.Method, fault: fault, before: w.held(), began: time.Now(), sequence: w.next()}
	if len(text) > 0 {
		e.body = fromJSON(w.t, string(text)).(object)
	}
	if !w.isOver {
		w.events = append(w.events, e)
	}
	isPatch, late := r.Method == http.MethodPatch, lateness(fault)
	e.unknown = isPatch && (late > 0 || slices.Contains([]string{"lost before", "lost after", "unreadable"}, fault))
	response := httptest.NewRecorder()
	switch {
	case late > 0 && isPatch:
		w.lastDone = e.began.Add(late)
		time.AfterFunc(late, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.carryOut(e, r.Clone(context.Background()), httptest.NewRecorder(), e.body)
		})
	case fault == "400 half way" && len(e.removes()) > 0:
		all := member(e.body, "source.postgres.tableMappingsToRemove").([]any)
		w.carryOut(e, r, response, object{"source": object{"postgres": object{"tableMappingsToRemove": all[:1]}}})
	case slices.Contains([]string{"", "lost after", "unreadable"}, fault):
		w.carryOut(e, r, response, e.body)
	}
	if e.accepted = fault == "" && response.Code == http.StatusOK; e.accepted {
		shown := smallPipeOf(member(fromJSON(w.t, response.Body.String()), "result"))
		e.shown = &shown
	}
	status := map[string]int{"429": 429, "409": 409, "503": 503, "400": 400, "400 half way": 400}[fault]
	switch {
	case late > 0:
		writer.WriteHeader(http.StatusGatewayTimeout)
	case fault == "429":
		writer.Header().Set("Retry-After", "3")
		writer.WriteHeader(status)
	case status > 0:
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(status)
		_, _ = writer.Write([]byte(`{"requestId": "r", "error": "no"}`))
	case strings.HasPrefix(fault, "lost"):
		panic(http.ErrAbortHandler)
	case fault == "unreadable":
		_, _ = writer.Write([]byte("<html>"))
	default:
		maps.Copy(writer.Header(), response.Header())
		writer.Header().Del("Content-Length")
		writer.WriteHeader(response.Code)
		_, _ = writer.Write(response.Body.Bytes())
	}
}

// carryOut lets the platform do a request, and responds.
func (w *smallWorld) carryOut(e *smallEvent, r *http.Request, response *httptest.ResponseRecorder, body object) {
	isPatch := e.method == http.MethodPatch
	e.isOld = w.platform.lag > 0 && (w.platform.isFresh == nil || !w.platform.isFresh(w, isPatch))
	w.Configure(func(b *mockplatform.Behaviour) {
		if b.Responses.Lag = 0; e.isOld {
			b.Responses.Lag = w.platform.lag
		}
	})
	e.before, w.body = w.held(), body
	if isPatch {
		r.Body = io.NopCloser(strings.NewReader(toJSON(w.t, body)))
		r.ContentLength = -1
	}
	if isPatch && w.platform.forgets {
		r.Method, r.Body, r.ContentLength = http.MethodGet, http.NoBody, 0
	}
	w.Server.ServeHTTP(response, r)
	if e.after = w.held(); isPatch && response.Code == http.StatusOK {
		e.done, e.doneAt, w.patch = w.next(), time.Now(), e
	}
	if w.platform.slowly != nil && response.Code == http.StatusOK && w.patch != nil && time.Since(w.patch.doneAt) < smallSlow {
		doc := fromJSON(w.t, response.Body.String()).(object)
		w.platform.slowly(w, doc["result"].(object))
		response.Body.Reset()
		response.Body.WriteString(toJSON(w.t, doc))
	}
}
