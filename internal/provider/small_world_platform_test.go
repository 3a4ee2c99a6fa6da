package provider

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"syscall"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// smallWorld is one of them, and what happens in it.
type smallWorld struct {
	*managed
	plan       smallPlan
	platform   smallPlatform
	troubles   []smallTrouble
	old        func(answer int) bool // reports whether one since the first PATCH shows the pipe as it was
	oldest     bool                  // before the first PATCH, and not before the last one
	patched    []time.Time
	answers    int // since the first PATCH
	process    server
	transports []*http.Transport // of all processes

	requests int // of the apply so far
	acts     []smallAct
	body     object // of the PATCH that is carried out
	another  context.CancelFunc
	limited  bool // a request for another object met a limit
	events   []smallEvent
	errors   []string
}

// smallTrouble is a fault of a request of the apply, counted from 0, and what a colleague does
// to a table before another one.
type smallTrouble struct {
	fault            string
	faultAt          int
	colleague, table string
	actsBefore       int
}

// smallAct is what a colleague has done.
type smallAct struct {
	smallTrouble
	at time.Time
}

// smallEvent is one request of the apply for the pipe.
type smallEvent struct {
	method        string
	body          object
	carriedOut    bool
	before, after smallSet
	told          bool     // the response has the mappings as they are, or as they were before the lag
	shown         smallSet // by the response, nil if there is none
	began, end    time.Time
	ambiguous     bool
	number        int // of the request
}

func (w *smallWorld) held() smallSet { return smallSetOf(member(w.Pipe(w.id), tableMappings)) }

// rewrite lets the platform store other mappings with each PATCH.
func (w *smallWorld) rewrite(b *mockplatform.Behaviour, to func([]any) any) {
	b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: tableMappings, Unsent: true, To: func(value any) any {
		if all, ok := value.([]any); ok {
			return to(all)
		}
		return value
	}}}
}

// unlessEdited resets the mappings with a PATCH that has none.
func (w *smallWorld) unlessEdited(all []any, reset any) any {
	if len(w.edited()) > 0 {
		return all
	}
	return reset
}

// edited are the names of the mappings that the PATCH adds or removes.
func (w *smallWorld) edited() (names []string) {
	for _, list := range []string{"tableMappingsToAdd", "tableMappingsToRemove"} {
		names = append(names, slices.Collect(maps.Keys(smallSetOf(member(w.body, "source.postgres."+list))))...)
	}
	return names
}

// dial connects for the next request, before which a colleague may act and a fault may be.
func (w *smallWorld) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if ctx.Value(anotherObject{}) != nil {
		return w.network.Dial(ctx, network, address)
	}
	at := w.requests
	w.requests++
	for _, trouble := range w.troubles {
		if trouble.colleague != "" && at == trouble.actsBefore {
			if set := smallColleagues[trouble.colleague](w.held(), trouble.table); set != nil {
				w.UpdatePipe(w.id, func(doc mockplatform.Document) { setMember(doc, tableMappings, set.documents()) })
				w.acts = append(w.acts, smallAct{trouble, time.Now()})
			}
		}
	}
	switch w.fault(at) {
	case "another 429":
		w.holdBack()
	case "no connection":
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return w.network.Dial(ctx, network, address)
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

// anotherObject is the key of a context of a request for another object.
type anotherObject struct{}

// answer has the next answer be of the past, or not.
func (w *smallWorld) answer(method string) {
	time.Sleep(time.Millisecond) // so that no two requests are of one time
	if method == http.MethodPatch {
		w.patched = append(w.patched, time.Now())
	}
	lag := time.Duration(0)
	if last := len(w.patched) - 1; last >= 0 {
		if w.oldest {
			last = 0
		}
		if w.old(w.answers) {
			lag = time.Since(w.patched[last]) + time.Microsecond
		}
		w.answers++
	}
	w.Configure(func(b *mockplatform.Behaviour) { b.Responses.Lag = lag })
}

// holdBack lets a request for another object meet a limit, which holds back all.
func (w *smallWorld) holdBack() {
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), anotherObject{}, true))
	w.another = cancel
	p := w.process
	go func() {
		config := configuration(w.t, p.schemas().DataSourceSchemas["dataplatform_services"], "")
		_, _ = p.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: "dataplatform_services", Config: config})
	}()
	synctest.Wait()
}

// ServeHTTP is the platform, with the fault of the world.
func (w *smallWorld) ServeHTTP(writer http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/services") {
		if w.another != nil && !w.limited {
			w.limited = true
			writer.Header().Set("Retry-After", "15")
			writer.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Server.ServeHTTP(writer, r)
		return
	}
	fault := w.fault(w.requests - 1)
	if w.old != nil {
		w.answer(r.Method)
	}
	if w.platform.readsOnly {
		w.Configure(func(b *mockplatform.Behaviour) {
			if b.Responses.Lag = w.platform.lag; r.Method == http.MethodPatch {
				b.Responses.Lag = 0
			}
		})
	}
	text, _ := io.ReadAll(r.Body)
	event := smallEvent{number: w.requests - 1, method: r.Method, before: w.held(), began: time.Now(), carriedOut: !slices.Contains([]string{"429", "lost before", "503", "400"}, fault)}
	if len(text) > 0 {
		event.body = fromJSON(w.t, string(text)).(object)
	}
	response := httptest.NewRecorder()
	if event.carriedOut {
		w.body = event.body
		r.Body = io.NopCloser(bytes.NewReader(text))
		if w.platform.forgets {
			r.Method, r.Body = http.MethodGet, http.NoBody
		}
		w.Server.ServeHTTP(response, r)
		event.carriedOut = response.Code == http.StatusOK
		event.told = event.carriedOut && (fault == "" || fault == "another 429") && (event.method == http.MethodGet || !w.platform.returnsThePast)
	}
	if event.carriedOut && (fault == "" || fault == "another 429") {
		event.shown = smallSetOf(member(fromJSON(w.t, response.Body.String()), "result."+tableMappings))
	}
	event.after, event.end = w.held(), time.Now()
	event.ambiguous = event.method == http.MethodPatch && slices.Contains([]string{"lost before", "lost after", "503", "unreadable"}, fault)
	w.events = append(w.events, event)
	switch fault {
	case "429":
		writer.Header().Set("Retry-After", "3")
		writer.WriteHeader(http.StatusTooManyRequests)
	case "503", "400":
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(map[string]int{"503": 503, "400": 400}[fault])
		_, _ = writer.Write([]byte(`{"requestId": "r", "error": "no"}`))
	case "lost before", "lost after":
		panic(http.ErrAbortHandler)
	case "unreadable":
		_, _ = writer.Write([]byte("<html>"))
	default:
		maps.Copy(writer.Header(), response.Header())
		writer.WriteHeader(response.Code)
		_, _ = writer.Write(response.Body.Bytes())
	}
}
