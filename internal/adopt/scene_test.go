package adopt

import (
	"cmp"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// scene is one update of the first pipe, whose name and mappings are managed, and what happens with it.
//
// Its mappings are by their targets. Two are related if they have one source table. "PATCH name -events
// +users" sends the name, removes the mapping to events, and adds that to users.
type scene struct {
	from    []any // the mappings of the pipe, if not the usual ones
	config  m     // beside the name, which becomes new if it is not here
	plain   bool  // the kind has no table mappings
	once    bool  // the provider does not retry
	reset   bool  // an update has reset the threads, which are managed
	lag     time.Duration
	rewrite func(tfvalue.Value) tfvalue.Value
	happens happening
	edit    editing

	sent     string // by the apply, as wantRequests has it
	took     time.Duration
	errors   []string
	warnings []string
	unsaid   string // by any warning
	held     m      // in the state after an error, if it is not what responses had; the next plan is empty
	differs  bool   // the next plan has something to do, and its apply does it
	advises  bool   // an error advises to configure the value on the platform
}

type (
	happening = func(w *toy, request string) error                             // before a request of the apply
	editing   = func(w *toy, request string, pipe tfvalue.Value) tfvalue.Value // of its responses
)

const (
	notShown  = "API does not show the change to "
	partly    = "Table mappings of pipe \"crm\" (" + firstPipe + ") are only partly updated"
	exposes   = "may be copied now. To prevent that, pause the pipe, or remove the table mapping in the platform's console:\n\n  - \"events\": "
	wasThere  = "They were:\n\n  - \"events\": excluded_columns = [\"n\u00e9\"], sorted = true, source_table = \"events\"\n\n"
	conflicts = "Table mappings of pipe \"crm\" (" + firstPipe + ") changed during the apply"
)

// The mappings of the first pipe, and what a configuration makes of them: other columns of events are
// excluded, or of both, or the source table of events goes to users.
var (
	events, items = usualMappings[0], m{"target_table": "items", "excluded_columns": []any{}, "sorted": false}
	changed       = []any{m{"target_table": "events", "excluded_columns": []any{"phone"}}, usualMappings[1]}
	bothChanged   = []any{m{"target_table": "events", "excluded_columns": []any{"phone"}}, m{"target_table": "items", "excluded_columns": []any{"phone"}}}
	users         = m{"target_table": "users", "source_table": "events", "excluded_columns": []any{}, "sorted": false}
	renamed       = []any{users, usualMappings[1]}
)

func playAll(t *testing.T, scenes map[string]scene) {
	t.Helper()
	t.Parallel()
	_, file, _, _ := runtime.Caller(1)
	for name, s := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() {
				if t.Failed() {
					t.Logf("the row is in %s:%d", filepath.Base(file), lineOf(file, `"`+name+`"`))
				}
			})
			s.play(t)
		})
	}
}

// lineOf is the first line of a file that contains a text.
func lineOf(file, text string) int {
	source, _ := os.ReadFile(file)
	before, _, _ := strings.Cut(string(source), text)
	return 1 + strings.Count(before, "\n")
}

func (s scene) play(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newToy()
		w.plain = s.plain
		tf := adopts(t, w, m{"name": "crm"})
		tf.inBubble = true
		if !s.plain {
			tf.config["mappings"] = usualMappings
		}
		if s.from != nil {
			tf.change(firstPipe, s.from, mappingsAt...)
			tf.config["mappings"] = s.from
		}
		if s.reset {
			tf.config["threads"] = 3
		}
		if columns, isManaged := s.config["columns"]; isManaged {
			tf.config["columns"] = columns
		}
		tf.wantQuiet(tf.apply())
		if s.reset {
			tf.block.State.Private = []byte(`{"unreturned":"W10=","reset":"WyJ0aHJlYWRzIl0="}`)
		}
		tf.config["name"] = "new"
		maps.Copy(tf.config, s.config)
		o := tf.plan()
		tf.lag, tf.rewrite, tf.edit, tf.requests = s.lag, s.rewrite, s.edit, nil
		if s.happens != nil {
			tf.fail = func(request string) error { return s.happens(w, request) }
		}
		begun := time.Now()
		tf.start(tf.config)
		if s.once {
			tf.run.Client, _ = platform.New(platform.Config{})
		}
		tf.applyStarted(o)
		if took := time.Since(begun); took != s.took {
			t.Errorf("the apply took %s", took)
		}
		if tf.open != 0 {
			t.Errorf("%d calls have not ended", tf.open)
		}
		tf.wantRequests(s.sent)
		tf.wantErrors(o, s.errors...)
		tf.wantWarnings(o, s.warnings...)
		tf.wantUnsaid(o, s.unsaid)
		if strings.Contains(strings.Join(o.Errors, ""), "Set the argument to the value on the platform") != s.advises {
			t.Errorf("an error advises to configure the value: %t", !s.advises)
		}
		for _, name := range []string{"name", "threads"} {
			want := tf.returned.At(name) // after an error
			if held, is := s.held[name]; is {
				want = value(held, want.Type())
			}
			if is := tf.state.At(name); len(s.errors) > 0 && !is.Equal(want) {
				t.Errorf("the state has %v for %s, want %v", is, name, want)
			}
		}
		if tf.fail = nil; s.differs {
			tf.rewrite, tf.edit = nil, nil
			if next := tf.apply(); next.Action != terraformtest.Update {
				t.Errorf("the next plan is to %s", next.Action)
			}
		}
		if s.differs || s.held != nil || len(s.errors) == 0 {
			tf.wantQuiet(tf.plan())
		}
	})
}

// keeps has a platform that accepts a leaf and ignores it.
func keeps(is any, path ...string) func(tfvalue.Value) tfvalue.Value {
	return func(pipe tfvalue.Value) tfvalue.Value {
		return pipe.With(value(is, pipe.At(path...).Type()), path...)
	}
}

// all changes the pipe in several ways.
func all(changes ...func(tfvalue.Value) tfvalue.Value) func(tfvalue.Value) tfvalue.Value {
	return func(pipe tfvalue.Value) tfvalue.Value {
		for _, change := range changes {
			pipe = change(pipe)
		}
		return pipe
	}
}

// inTurn changes the pipe with each PATCH in another way, and with later ones in none.
func inTurn(changes ...func(tfvalue.Value) tfvalue.Value) func(tfvalue.Value) tfvalue.Value {
	return func(pipe tfvalue.Value) tfvalue.Value {
		if len(changes) == 0 {
			return pipe
		}
		change := changes[0]
		changes = changes[1:]
		return change(pipe)
	}
}

// omits has responses without a leaf or an object.
func omits(path ...string) func(tfvalue.Value) tfvalue.Value {
	return func(pipe tfvalue.Value) tfvalue.Value { return pipe.Without(path...) }
}

// lacks has responses that omit a member of some mappings, or of all.
func lacks(member string, targets ...string) func(tfvalue.Value) tfvalue.Value {
	return func(pipe tfvalue.Value) tfvalue.Value {
		mappings := pipe.At(mappingsAt...)
		elements := mappings.Elements()
		for i, mapping := range elements {
			if len(targets) == 0 || slices.Contains(targets, mapping.At("target_table").Text()) {
				elements[i] = mapping.Without(member)
			}
		}
		return pipe.With(mappingKey.Collect(mappings.Type(), elements), mappingsAt...)
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

// none and past have a PATCH whose response shows no pipe, or the pipe as it was before.
var none = to("PATCH", func(pipe tfvalue.Value) tfvalue.Value { return tfvalue.Null(pipe.Type()) })

func past(w *toy, request string, pipe tfvalue.Value) tfvalue.Value {
	if versions := w.versions[firstPipe]; request != "GET" {
		return versions[len(versions)-1].pipe
	}
	return pipe
}

// to edits the responses to requests that begin so, all of them with "".
func to(begins string, edit func(tfvalue.Value) tfvalue.Value) editing {
	return func(_ *toy, request string, pipe tfvalue.Value) tfvalue.Value {
		if strings.HasPrefix(request, begins) {
			return edit(pipe)
		}
		return pipe
	}
}

// within edits the responses after a PATCH, counted from its own, which is 0. Before the first PATCH,
// the first read is 1.
func within(patch, from, until int, edit func(tfvalue.Value) tfvalue.Value) editing {
	return func(w *toy, _ string, pipe tfvalue.Value) tfvalue.Value {
		if read := w.lastReads(); len(w.patches()) == patch && from <= read && read < until {
			return edit(pipe)
		}
		return pipe
	}
}

// each edits responses in several ways.
func each(edits ...editing) editing {
	return func(w *toy, request string, pipe tfvalue.Value) tfvalue.Value {
		for _, edit := range edits {
			pipe = edit(w, request, pipe)
		}
		return pipe
	}
}

// when has something happen before a request: the PATCH of a number (read 0), or a read after it.
func when(patch, read int, happens func(*toy) error) happening {
	return func(w *toy, _ string) error {
		if len(w.patches()) != patch || w.lastReads() != read {
			return nil
		}
		return happens(w)
	}
}

// fails has one PATCH fail, and perhaps be carried out all the same.
func fails(patch int, done bool, err *platform.Error) happening {
	return when(patch, 0, func(w *toy) error {
		w.done = done
		return err
	})
}

// lost has no response to one PATCH arrive.
func lost(patch int, done bool) happening {
	return fails(patch, done, &platform.Error{Ambiguous: true})
}

// doneLater has no response to PATCHes arrive, each of which is carried out after so long; 0 is never.
func doneLater(after time.Duration, patches ...int) happening {
	return func(w *toy, request string) error {
		if request == "GET" || !slices.Contains(patches, len(w.patches())) {
			return nil
		}
		w.doneIn = after
		return &platform.Error{Ambiguous: true}
	}
}

// before has somebody change the pipe in the console before a request.
func before(patch, read int, is any, at ...string) happening {
	return when(patch, read, func(w *toy) error {
		w.change(firstPipe, is, at...)
		return nil
	})
}

// inOrder has each of several things happen.
func inOrder(several ...happening) happening {
	return func(w *toy, request string) error {
		var errs []error
		for _, happens := range several {
			errs = append(errs, happens(w, request))
		}
		return cmp.Or(errs...)
	}
}

// lagsAfter has responses of the past only to reads after a PATCH.
func lagsAfter(patch int, lag time.Duration) happening {
	return func(w *toy, request string) error {
		if w.lag = 0; request == "GET" && len(w.patches()) == patch {
			w.lag = lag
		}
		return nil
	}
}

// forbidsRead has one read fail after a PATCH.
func forbidsRead(patch, read int) happening {
	return when(patch, read, func(*toy) error { return &platform.Error{Status: http.StatusForbidden} })
}

// lastReads is the number of GETs after the last PATCH.
func (w *toy) lastReads() int {
	reads := slices.Clone(w.requests)
	slices.Reverse(reads)
	return slices.IndexFunc(append(reads, "PATCH"), func(request string) bool { return request != "GET" })
}

// queues has the PATCH that follows a read wait for its turn.
func queues(patch, read int, wait time.Duration) happening {
	return when(patch, read, func(w *toy) error {
		w.queue = wait
		return nil
	})
}

// interrupts has the user interrupt the apply before a request.
func interrupts(patch, read int) happening {
	return when(patch, read, func(w *toy) error {
		w.interrupt()
		return nil
	})
}
