package adopt

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// scene is one update of the first pipe, whose name, columns and mappings are managed, and what happens with it.
// "PATCH -events +users" removes the mapping to events, and adds that to users.
type scene struct {
	config   m      // beside the name, which becomes new if it is not here and the mappings stay
	mappings string // of the configuration, if it changes them
	plain    bool   // the kind has no table mappings
	once     bool   // the provider does not retry
	reset    bool   // an update has reset the rows, and the threads, which are managed
	events   events

	sent             string // by the apply, as wantSent has it
	took             time.Duration
	errors, warnings []string
	held             m    // in the state after an error, if it is not what responses had; the next plan is empty
	differs          bool // the next plan has something to do, and its apply does it
}

const (
	pipeCRM   = `pipe "crm" (` + firstPipe + ")"
	notDone   = "Table mappings are not as planned: " + pipeCRM
	wasEvents = "\"events\": was excluded_columns = [\"n\u00e9\"], sorted = true, source_table = \"events\"; should be "
	wasItems  = "\"items\": was excluded_columns = [], sorted = false, source_table = \"items\"; should be excluded_columns = [\"phone\"], sorted = false, source_table = \"items\"; is "
	isEvents  = "excluded_columns = [\"phone\"], sorted = false, source_table = \"events\"; is "
	isGone    = wasEvents + isEvents + "missing"
	isThere   = wasEvents + isEvents + "excluded_columns = [\"n\u00e9\"], sorted = true, source_table = \"events\"\n\n"
	notKnown  = wasEvents + isEvents + "not known\n\n"
	accepted  = "The platform accepted the request, but reads for 30s did not return the table mappings as they should be.\n\n"
	wasLost   = "Tried to   at . The request was not sent: \n\n"
	mayCome   = "The platform may still carry out the request. Wait some minutes"
	unread    = "Cannot read pipe after its update: The update of " + pipeCRM

	removes = "GET, PATCH -events"
	swaps   = removes + ", GET, PATCH +events"

	// The mappings of the first pipe, and what a configuration makes of them: other columns of events are excluded, or
	// of both, or the source table of events goes to users, or it goes there, too.
	usual       = "events sorted without n\u00e9, items"
	changed     = "events without phone, items"
	bothChanged = "events without phone, items without phone"
	renamed     = "users from events, items"
	shared      = usual + ", users from events"
	more        = usual + ", users"
)

// The advice that an error gives only in some rows.
var advice = []string{"Set the argument to the value on the platform", "change the tables in two applies"}

// eachRow runs a test for each row of a table. A failure names the line of its row.
func eachRow[R any](t *testing.T, run func(R, *testing.T), rows map[string]R) {
	t.Helper()
	t.Parallel()
	terraformtest.Rows(t, rows, func(t *testing.T, row R) {
		t.Parallel()
		run(row, t)
	})
}

func (s scene) play(t *testing.T) {
	tf := adopted(t, m{"name": "crm", "columns": []any{"a", "b"}, "mappings": usual})
	if s.plain {
		tf.engine.Mappings, tf.config["mappings"] = nil, nil
	}
	if s.reset {
		tf.config["threads"], tf.block.State.Private = 3, []byte(`{"was_read":true,"reset":["destination.table.rows","threads"]}`)
	}
	if s.mappings == "" {
		tf.config["name"] = "new"
	}
	maps.Copy(tf.config, s.config)
	if s.mappings != "" {
		tf.config["mappings"] = s.mappings
	}
	o := tf.plan()
	tf.once, tf.events, tf.requests = s.once, s.events, nil
	tf.applyPlan(o)
	if tf.took != s.took {
		t.Errorf("the apply took %s", tf.took)
	}
	if tf.open != 0 {
		t.Errorf("%d calls have not ended", tf.open)
	}
	tf.wantSent(s.sent)
	tf.wantSaid(o, s.errors, s.warnings)
	for _, name := range append(slices.Collect(maps.Keys(s.held)), "name", "threads") {
		want := tf.returned.At(where(name)...) // after an error
		if held, is := s.held[name]; is {
			want = toyRules.Fill(where(name).Name(), value(held, want.Type()))
		}
		if is := tf.state.At(where(name)...); len(s.errors) > 0 && !is.Equal(want) {
			t.Errorf("the state has %v for %s, want %v", is, name, want)
		}
	}
	tf.events = slices.DeleteFunc(slices.Clone(s.events), func(e event) bool { return e.before != nil || e.fails != nil })
	if s.differs {
		tf.events = nil
		if next := tf.apply(); next.Action != terraformtest.Update {
			t.Errorf("the next plan is to %s", next.Action)
		}
	}
	if s.differs || s.held != nil || len(s.errors) == 0 {
		tf.wantQuiet(tf.plan())
	}
}

// event is what happens with some requests, or with all.
type event struct {
	with          func(w *toy) bool
	before        func(w *toy)
	fails         *platform.Error
	queue         time.Duration // how long a PATCH after such a request waits for its turn
	lag           time.Duration // the response has the pipe as it was so long ago
	stores, shows change
}

type events []event
type change = func(pipe tfvalue.Value) tfvalue.Value

// happening are the events that happen with the last request.
func (w *toy) happening() events {
	return slices.DeleteFunc(slices.Clone(w.events), func(e event) bool { return e.with != nil && !e.with(w) })
}

// between are the responses to the reads after a PATCH, counted from its own, which is 0. Before the first PATCH, the
// first read is 1.
func between(patch, from, until int) func(*toy) bool {
	return func(w *toy) bool {
		read := w.lastReads()
		return len(w.patches()) == patch && from <= read && read < until
	}
}

func at(patch, read int) func(*toy) bool { return between(patch, read, read+1) }

// within changes the responses to such reads, and to the requests that begin so, all of them with "".
func within(patch, from, until int, shows change) event {
	return event{with: between(patch, from, until), shows: shows}
}

func to(begins string, shows change) event {
	return event{with: func(w *toy) bool { return strings.HasPrefix(w.requests[len(w.requests)-1], begins) }, shows: shows}
}

// stores has the platform store something else with one PATCH, or with each (0).
func stores(patch int, stores change) event {
	return event{with: func(w *toy) bool { return patch == 0 || len(w.patches()) == patch }, stores: stores}
}

// before has somebody change the pipe in the console before a request: the PATCH of a number (read 0), or a read after
// it. queues has the PATCH after that wait for its turn, and interrupts has the user interrupt the apply.
func before(patch, read int, is any, path string) event {
	return event{with: at(patch, read), before: func(w *toy) { w.change(firstPipe, is, path) }}
}

func queues(patch, read int, wait time.Duration) event {
	return event{with: at(patch, read), queue: wait}
}

func interrupts(patch, read int) event {
	return event{with: at(patch, read), before: func(w *toy) { w.interrupt() }}
}

func forbidsRead(patch, read int) event {
	return event{with: at(patch, read), fails: &platform.Error{Status: http.StatusForbidden}}
}

func forbidsReads(patch int) event {
	return event{with: between(patch, 1, 99), fails: &platform.Error{Status: 403}}
}

// fails has one PATCH fail, and be carried out all the same after so long, or never. Of one that is lost, no response
// arrives, and one that is busy is not accepted yet.
func fails(patch int, doneIn time.Duration, err platform.Error) event {
	return event{with: at(patch, 0), before: func(w *toy) { w.doneIn = doneIn }, fails: &err}
}

func lost(patch int, doneIn time.Duration) event {
	return fails(patch, doneIn, platform.Error{Ambiguous: true})
}
func busy(patch int) event    { return fails(patch, never, platform.Error{}) }
func limited(patch int) event { return fails(patch, never, platform.Error{Status: 429}) }

// past has a response of the past to each PATCH, and none has one that shows no pipe.
var (
	past = event{with: func(w *toy) bool { return w.lastReads() == 0 }, lag: time.Hour}
	none = to("PATCH", func(pipe tfvalue.Value) tfvalue.Value { return tfvalue.Null(pipe.Type()) })
)

// where is an attribute by its names, with dots between them. That of the mappings is short.
func where(path string) tfvalue.Path {
	if path == "mappings" {
		return mappingsAt
	}
	return strings.Split(path, ".")
}

// keeps has one attribute be as it was, or as it is said, omits is without one, and lacks is without a member of some
// mappings, or of all.
func keeps(is any, path string) change {
	return func(pipe tfvalue.Value) tfvalue.Value {
		at := where(path)
		return pipe.With(toyRules.Fill(at.Name(), value(is, pipe.At(at...).Type())), at...)
	}
}

func omits(path string) change {
	return func(pipe tfvalue.Value) tfvalue.Value { return pipe.Without(where(path)...) }
}

func lacks(member string, targets ...string) change {
	return func(pipe tfvalue.Value) tfvalue.Value {
		return pipe.With(pipe.At(mappingsAt...).Map(func(target string, mapping tfvalue.Value) tfvalue.Value {
			if len(targets) == 0 || slices.Contains(targets, target) {
				return mapping.Without(member)
			}
			return mapping
		}), mappingsAt...)
	}
}

var omitsNames = lacks("target_table")

// omitsEmptyMappings has responses that omit the mappings if there are none.
func omitsEmptyMappings(pipe tfvalue.Value) tfvalue.Value {
	if pipe.At(mappingsAt...).IsEmpty() {
		return pipe.Without(mappingsAt...)
	}
	return pipe
}
