package adopt

import (
	"cmp"
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

// scene is one update of the first lamp, whose name and bulbs are managed, and what happens with it.
//
// A lamp stands for a pipe, and its bulbs for table mappings: the socket is the key, the wire is the
// source table (two bulbs on one wire are related), and the colors are the excluded columns.
// "PATCH name -E14 +G9" sends the name, removes the bulb in socket E14, and adds that in G9.
type scene struct {
	from    []any // the bulbs of the lamp, if not the usual ones
	config  m     // beside the name, which becomes new if it is not here
	plain   bool  // the kind has no keyed map
	once    bool  // the provider does not retry
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
	happening = func(w *workshop, request string) error                             // before a request of the apply
	editing   = func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value // of its responses
)

const (
	notShown  = "API does not show the change to "
	partly    = "fixture.mount.bulbs of lamp \"desk\" (" + firstLamp + ") is only partly updated"
	wasRed    = "They were:\n\n  - \"E14\": colors = [\"r\u00e9d\"], on = true, wire = \"E14\"\n\n"
	conflicts = "fixture.mount.bulbs of lamp \"desk\" (" + firstLamp + ") changed during the apply"
)

// The bulbs of the first lamp, and what a configuration makes of them: E14 in another color, both in
// another color, or G9 on the wire of E14.
var (
	e14, e27  = deskBulbs[0], m{"socket": "E27", "colors": []any{}, "on": false}
	blue      = []any{m{"socket": "E14", "colors": []any{"blue"}}, deskBulbs[1]}
	bothBlue  = []any{m{"socket": "E14", "colors": []any{"blue"}}, m{"socket": "E27", "colors": []any{"blue"}}}
	g9        = m{"socket": "G9", "wire": "E14", "colors": []any{}, "on": false}
	elsewhere = []any{g9, deskBulbs[1]}
)

func playAll(t *testing.T, scenes map[string]scene) {
	t.Parallel()
	for name, s := range scenes {
		t.Run(name, s.play)
	}
}

func (s scene) play(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := newWorkshop()
		w.plain = s.plain
		tf := adopts(t, w, m{"name": "desk"})
		tf.inBubble = true
		if !s.plain {
			tf.config["bulbs"] = deskBulbs
		}
		if s.from != nil {
			tf.change(firstLamp, s.from, bulbsAt...)
			tf.config["bulbs"] = s.from
		}
		tf.wantQuiet(tf.apply())
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
		for _, name := range []string{"name", "size"} {
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
	return func(lamp tfvalue.Value) tfvalue.Value {
		return lamp.With(value(is, lamp.At(path...).Type()), path...)
	}
}

// all changes the lamp in several ways, and asItIs in none.
func all(changes ...func(tfvalue.Value) tfvalue.Value) func(tfvalue.Value) tfvalue.Value {
	return func(lamp tfvalue.Value) tfvalue.Value {
		for _, change := range changes {
			lamp = change(lamp)
		}
		return lamp
	}
}

var asItIs = all()

// inTurn changes the lamp with each PATCH in another way, and with later ones in none.
func inTurn(changes ...func(tfvalue.Value) tfvalue.Value) func(tfvalue.Value) tfvalue.Value {
	return func(lamp tfvalue.Value) tfvalue.Value {
		if len(changes) == 0 {
			return lamp
		}
		change := changes[0]
		changes = changes[1:]
		return change(lamp)
	}
}

// omits has responses without a leaf or an object.
func omits(path ...string) func(tfvalue.Value) tfvalue.Value {
	return func(lamp tfvalue.Value) tfvalue.Value { return lamp.Without(path...) }
}

// lacks has responses that omit a member of some bulbs, or of all.
func lacks(member string, sockets ...string) func(tfvalue.Value) tfvalue.Value {
	return func(lamp tfvalue.Value) tfvalue.Value {
		bulbs := lamp.At(bulbsAt...)
		elements := bulbs.Elements()
		for i, bulb := range elements {
			if len(sockets) == 0 || slices.Contains(sockets, bulb.At("socket").Text()) {
				elements[i] = bulb.Without(member)
			}
		}
		return lamp.With(bulbKey.Collect(bulbs.Type(), elements), bulbsAt...)
	}
}

var omitsNames = lacks("socket")

// omitsEmptyBulbs has responses that omit the bulbs if there are none.
func omitsEmptyBulbs(lamp tfvalue.Value) tfvalue.Value {
	if lamp.At(bulbsAt...).IsEmpty() {
		return lamp.Without(bulbsAt...)
	}
	return lamp
}

// none and past have a PATCH whose response shows no lamp, or the lamp as it was before.
var none = to("PATCH", func(lamp tfvalue.Value) tfvalue.Value { return tfvalue.Null(lamp.Type()) })

func past(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
	if versions := w.versions[firstLamp]; request != "GET" {
		return versions[len(versions)-1].lamp
	}
	return lamp
}

// to edits the responses to requests that begin so, all of them with "".
func to(begins string, edit func(tfvalue.Value) tfvalue.Value) editing {
	return func(_ *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
		if strings.HasPrefix(request, begins) {
			return edit(lamp)
		}
		return lamp
	}
}

// within edits the responses after a PATCH, counted from its own, which is 0. Before the first PATCH,
// the first read is 1.
func within(patch, from, until int, edit func(tfvalue.Value) tfvalue.Value) editing {
	return func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
		if read := w.lastReads(); len(w.patches()) == patch && from <= read && read < until {
			return edit(lamp)
		}
		return lamp
	}
}

// each edits responses in several ways.
func each(edits ...editing) editing {
	return func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value {
		for _, edit := range edits {
			lamp = edit(w, request, lamp)
		}
		return lamp
	}
}

// when has something happen before a request: the PATCH of a number (read 0), or a read after it.
func when(patch, read int, happens func(*workshop) error) happening {
	return func(w *workshop, _ string) error {
		if len(w.patches()) != patch || w.lastReads() != read {
			return nil
		}
		return happens(w)
	}
}

// fails has one PATCH fail, and perhaps be carried out all the same.
func fails(patch int, done bool, err *platform.Error) happening {
	return when(patch, 0, func(w *workshop) error {
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
	return func(w *workshop, request string) error {
		if request == "GET" || !slices.Contains(patches, len(w.patches())) {
			return nil
		}
		w.doneIn = after
		return &platform.Error{Ambiguous: true}
	}
}

// before has somebody change the lamp in the console before a request.
func before(patch, read int, is any, at ...string) happening {
	return when(patch, read, func(w *workshop) error {
		w.change(firstLamp, is, at...)
		return nil
	})
}

// inOrder has each of several things happen.
func inOrder(several ...happening) happening {
	return func(w *workshop, request string) error {
		var errs []error
		for _, happens := range several {
			errs = append(errs, happens(w, request))
		}
		return cmp.Or(errs...)
	}
}

// lagsAfter has responses of the past only to reads after a PATCH.
func lagsAfter(patch int, lag time.Duration) happening {
	return func(w *workshop, request string) error {
		if w.lag = 0; request == "GET" && len(w.patches()) == patch {
			w.lag = lag
		}
		return nil
	}
}

// forbidsRead has one read fail after a PATCH.
func forbidsRead(patch, read int) happening {
	return when(patch, read, func(*workshop) error { return &platform.Error{Status: http.StatusForbidden} })
}

// lastReads is the number of GETs after the last PATCH.
func (w *workshop) lastReads() int {
	reads := slices.Clone(w.requests)
	slices.Reverse(reads)
	return slices.IndexFunc(append(reads, "PATCH"), func(request string) bool { return request != "GET" })
}

// queues has the PATCH that follows a read wait for its turn.
func queues(patch, read int, wait time.Duration) happening {
	return when(patch, read, func(w *workshop) error {
		w.queue = wait
		return nil
	})
}
