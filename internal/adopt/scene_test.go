package adopt

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
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
	lag     time.Duration
	queue   time.Duration
	rewrite func(tfvalue.Value) tfvalue.Value
	happens func(w *workshop, request string) error                             // before a request of the apply
	edit    func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value // of its responses

	sent     []string // by the apply, as wantRequests has it
	took     time.Duration
	errors   []string
	warnings []string
	unsaid   string // by any warning
	differs  bool   // the next plan has something to do
	advises  bool   // an error advises to configure the value on the platform
	once     bool   // the provider does not retry
}

const (
	notShown  = "API does not show the change to "
	partly    = "fixture.mount.bulbs of lamp \"desk\" (" + firstLamp + ") is only partly updated"
	wasRed    = "They were:\n\n  - E14: colors = [\"r\u00e9d\"], on = true, wire = \"E14\"\n\n"
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

func (s scene) play(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tf := adopted(t, m{"name": "desk", "bulbs": deskBulbs})
		if s.from != nil {
			tf.change(firstLamp, s.from, bulbsAt...)
			tf.config["bulbs"] = s.from
			tf.wantQuiet(tf.apply())
		}
		tf.config["name"] = "new"
		for path, is := range s.config {
			tf.config[path] = is
		}
		o := tf.plan()
		tf.lag, tf.queue, tf.rewrite, tf.retries, tf.requests = s.lag, s.queue, s.rewrite, true, nil
		if s.happens != nil {
			tf.fail = func(request string) error { return s.happens(tf.workshop, request) }
		}
		if s.edit != nil {
			tf.edits = append(tf.edits, func(request string, lamp tfvalue.Value) tfvalue.Value { return s.edit(tf.workshop, request, lamp) })
		}
		begun := time.Now()
		tf.start(tf.config)
		if s.once {
			tf.run.Client, _ = platform.New(platform.Config{})
		}
		tf.block.Apply(tf, o)
		tf.state = tf.tfvalue(tf.block.State.Value)
		if took := time.Since(begun); took != s.took {
			t.Errorf("the apply took %s", took)
		}
		if tf.open != 0 {
			t.Errorf("%d calls have not ended", tf.open)
		}
		tf.wantRequests(s.sent...)
		tf.wantErrors(o, s.errors...)
		tf.wantWarnings(o, s.warnings...)
		if all := strings.Join(o.Warnings, ""); s.unsaid != "" && strings.Contains(all, s.unsaid) {
			t.Errorf("warnings %q", all)
		}
		if strings.Contains(strings.Join(o.Errors, ""), "Set the argument to the value on the platform") != s.advises {
			t.Errorf("an error advises to configure the value: %t", !s.advises)
		}
		for _, name := range []string{"name", "size"} {
			if is, returned := tf.state.At(name), tf.returned.At(name); len(s.errors) > 0 && !is.Equal(returned) {
				t.Errorf("after an error, the state has %v for %s, and responses had %v", is, name, returned)
			}
		}
		if len(s.errors) == 0 && !s.differs {
			tf.fail = nil
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

func omitEmptyBulbs(_ string, lamp tfvalue.Value) tfvalue.Value {
	if lamp.At(bulbsAt...).IsEmpty() {
		return lamp.Without(bulbsAt...)
	}
	return lamp
}

// nameless has a number of responses, from that to a PATCH on, omit the names of the bulbs.
func nameless(patch, times int) func(*workshop, string, tfvalue.Value) tfvalue.Value {
	return func(w *workshop, _ string, lamp tfvalue.Value) tfvalue.Value {
		if len(w.patches()) != patch || times == 0 {
			return lamp
		}
		times--
		return withoutNames(lamp)
	}
}

// fails has one PATCH fail, and perhaps be carried out all the same.
func fails(patch int, done bool, err *platform.Error) func(*workshop, string) error {
	return func(w *workshop, request string) error {
		if w.done = false; request == "GET" || len(w.patches()) != patch {
			return nil
		}
		w.done = done
		return err
	}
}

// lost has no response to one PATCH arrive.
func lost(patch int, done bool) func(*workshop, string) error {
	return fails(patch, done, &platform.Error{Ambiguous: true})
}

// doneLater has no response to PATCHes arrive, each of which is carried out after so long; 0 is never.
func doneLater(after time.Duration, patches ...int) func(*workshop, string) error {
	return func(w *workshop, request string) error {
		if request == "GET" || !slices.Contains(patches, len(w.patches())) {
			return nil
		}
		w.doneIn = after
		return &platform.Error{Ambiguous: true}
	}
}

// meanwhile has somebody change the lamp in the console while a PATCH fails.
func meanwhile(is any, at tfvalue.Path, fails func(*workshop, string) error) func(*workshop, string) error {
	return func(w *workshop, request string) error {
		err := fails(w, request)
		if err != nil {
			w.change(firstLamp, is, at...)
		}
		return err
	}
}

// before has somebody change the lamp in the console before a request, counted from the PATCH on.
func before(patch, read int, is any, at ...string) func(*workshop, string) error {
	return func(w *workshop, request string) error {
		if len(w.patches()) == patch && w.lastReads() == read {
			w.change(firstLamp, is, at...)
		}
		return nil
	}
}

// inOrder has each of several things happen.
func inOrder(all ...func(*workshop, string) error) func(*workshop, string) error {
	return func(w *workshop, request string) error {
		var errs []error
		for _, happens := range all {
			errs = append(errs, happens(w, request))
		}
		return cmp.Or(errs...)
	}
}

// always has all responses of a scene edited in the same way.
func always(edit func(string, tfvalue.Value) tfvalue.Value) func(*workshop, string, tfvalue.Value) tfvalue.Value {
	return func(_ *workshop, request string, lamp tfvalue.Value) tfvalue.Value { return edit(request, lamp) }
}

// forbidsRead has one read fail after a PATCH.
func forbidsRead(patch, read int) func(*workshop, string) error {
	return func(w *workshop, request string) error {
		if request == "GET" && len(w.patches()) == patch && w.lastReads() == read {
			return &platform.Error{Status: http.StatusForbidden}
		}
		return nil
	}
}

// lastReads is the number of GETs after the last PATCH.
func (w *workshop) lastReads() int {
	reads := slices.Clone(w.requests)
	slices.Reverse(reads)
	return max(0, slices.IndexFunc(append(reads, "PATCH"), func(request string) bool { return request != "GET" }))
}
