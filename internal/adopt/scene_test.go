package adopt

import (
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
type scene struct {
	from    []any // the bulbs of the lamp, if not the usual ones
	config  m     // beside the name, which becomes new if it is not here
	lag     time.Duration
	rewrite func(tfvalue.Value) tfvalue.Value
	happens func(w *workshop, request string) error                             // before a request of the apply
	edit    func(w *workshop, request string, lamp tfvalue.Value) tfvalue.Value // of its responses

	sent     []string // by the apply, as wantRequests has it
	took     time.Duration
	errors   []string
	warnings []string
	differs  bool // the next plan has something to do
}

const notShown = "API does not show the change to "

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
		tf.lag, tf.rewrite, tf.retries, tf.requests = s.lag, s.rewrite, true, nil
		if s.happens != nil {
			tf.fail = func(request string) error { return s.happens(tf.workshop, request) }
		}
		if s.edit != nil {
			tf.edits = append(tf.edits, func(request string, lamp tfvalue.Value) tfvalue.Value { return s.edit(tf.workshop, request, lamp) })
		}
		begun := time.Now()
		tf.applyPlan(o)
		if took := time.Since(begun); took != s.took {
			t.Errorf("the apply took %s", took)
		}
		if tf.open != 0 {
			t.Errorf("%d calls have not ended", tf.open)
		}
		tf.wantRequests(s.sent...)
		tf.wantErrors(o, s.errors...)
		tf.wantWarnings(o, s.warnings...)
		if strings.Contains(strings.Join(o.Errors, ""), "Set the argument to the value on the platform") {
			t.Error("an error advises to configure the old value")
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

// meanwhile has somebody change the bulbs in the console while a PATCH fails.
func meanwhile(bulbs []any, fails func(*workshop, string) error) func(*workshop, string) error {
	return func(w *workshop, request string) error {
		err := fails(w, request)
		if err != nil {
			w.change(firstLamp, bulbs, bulbsAt...)
		}
		return err
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
