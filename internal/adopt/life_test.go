package adopt

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// A life is a random sequence of what users, colleagues and platforms do to one
// resource. After each apply, the rules of the engine have to hold.
type life struct {
	*terraform
	*rand.Rand
	story []string
	blind tfvalue.Path // a leaf that no response has
	fault string       // what failed in this step
	moved bool         // the lamp was changed between plan and apply
	// hidden is a leaf that a read of this step omits: if it was empty, that hides drift.
	hidden tfvalue.Path
}

// TestLife runs lives. A failure names its seed: TEST_SEED=N repeats it. LIFE_TIME=5m
// runs as many as fit.
func TestLife(t *testing.T) {
	t.Parallel()
	first, lives, end := uint64(0), uint64(200), time.Time{}
	if seed, err := strconv.ParseUint(os.Getenv("TEST_SEED"), 10, 64); err == nil {
		first, lives = seed, 1
	}
	if length, err := time.ParseDuration(os.Getenv("LIFE_TIME")); err == nil {
		first, lives, end = rand.Uint64N(1<<40), 1<<40, time.Now().Add(length)
	}
	failed := 0
	for seed := first; seed < first+lives && failed < 5 && (end.IsZero() || time.Now().Before(end)); seed++ {
		if story, reason := live(t, seed); reason != "" {
			failed++
			t.Errorf("TEST_SEED=%d: %s\n%s", seed, reason, strings.Join(story, "\n"))
		}
	}
}

// live runs the life of a seed, and returns what happened and which rule was broken.
func live(t *testing.T, seed uint64) (story []string, broken string) {
	l := &life{terraform: newTerraform(t, newWorkshop()), Rand: rand.New(rand.NewPCG(seed, 1))}
	l.config = m{"lamp_id": firstLamp}
	l.resets, l.omitEmpty, l.stages = l.one(4), l.one(3), l.choose("", "", "add")
	l.result = l.choose("", "", "none")
	if !l.resets && l.one(4) {
		l.result = "past" // together they look like a platform that resets nothing
	}
	if l.one(4) {
		l.blind = settable[l.IntN(len(settable))]
		l.edits = append(l.edits, omit("", 0, l.blind...))
	}
	l.note("platform: resets %t, omits what is empty %t, stages %q, result of a PATCH %q, never returns %v", l.resets, l.omitEmpty, l.stages, l.result, l.blind)
	for range 3 + l.IntN(6) {
		if broken = l.step(); broken != "" {
			break
		}
	}
	return l.story, broken
}

func (l *life) one(of int) bool              { return l.IntN(of) == 0 }
func (l *life) choose(from ...string) string { return from[l.IntN(len(from))] }
func (l *life) note(format string, args ...any) {
	l.story = append(l.story, fmt.Sprintf(format, args...))
}

// random is a value for a settable leaf.
func (l *life) random(path tfvalue.Path) any {
	switch path[0] {
	case "tags":
		return [][]any{{}, {"a"}, {"b", "a"}}[l.IntN(3)]
	case "bulbs":
		bulbs := []any{}
		for _, socket := range []string{"E14", "E27", "G9"} {
			if l.one(2) {
				bulbs = append(bulbs, m{"socket": socket, "colors": [][]any{{}, {"red"}, {"blue", "red"}}[l.IntN(3)], "on": l.one(2)})
			}
		}
		return bulbs
	case "size", "shape":
		return l.IntN(4)
	default:
		return l.choose("", "a", "b")
	}
}

// step lets things happen, and applies.
func (l *life) step() string {
	l.fault, l.moved, l.hidden, l.planConfig, l.lost, l.fail = "", false, nil, nil, nil, nil
	if l.one(8) {
		l.config["lamp_id"] = l.choose(firstLamp, another)
	}
	for range l.IntN(3) {
		l.configure()
	}
	if l.one(4) {
		l.drift("in the console")
	}
	if l.one(6) {
		path := settable[l.IntN(len(settable))]
		l.edits, l.hidden = append(l.edits, omit("GET", 1, path...)), path
		l.note("the next GET omits %s", path)
	}
	if l.one(6) {
		l.ignore = nil
		if l.one(2) {
			l.ignore = []tfvalue.Path{settable[l.IntN(len(settable))]}
		}
		l.note("ignore_changes = %v", l.ignore)
	}
	if l.one(6) {
		l.unknown()
	}
	if l.one(6) {
		l.fault = l.choose("rejected", "lost")
	}
	l.note("config %v", l.config)
	return l.applied()
}

// applied applies, and returns the rule that is broken.
func (l *life) applied() string {
	id, before, requests := l.config["lamp_id"].(string), l.lamps[l.config["lamp_id"].(string)], len(l.patches())
	o := l.plan()
	l.note("plan: %s", o.action)
	if len(l.patches()) > requests {
		return "a plan sends"
	}
	if wrongShape(l.config, before) {
		if l.planConfig != nil && l.planConfig["shape"] == unknown {
			l.config["shape"], l.planConfig = nil, nil
			return ""
		}
		if len(o.errors) != 1 || !strings.Contains(o.errors[0], "another shape") {
			return fmt.Sprintf("another shape is no error: %q", o.errors)
		}
		l.config["shape"] = nil
		return ""
	}
	if l.refused(o) {
		return l.imported(before)
	}
	if broken := broken(o); broken != "" {
		return broken
	}
	prior := l.state
	if o.action == "replace" {
		prior = tfvalue.Null(prior.Type())
	}
	if l.one(8) {
		l.drift("between plan and apply")
		before, l.moved = l.lamps[id], true
	}
	if once := func(string) error { l.fail, l.lost = nil, nil; return errors.New("fault") }; l.fault == "lost" {
		l.lost = once
	} else if l.fault == "rejected" {
		l.fail = func(request string) error {
			if request == "GET" {
				return nil
			}
			return once(request)
		}
	}
	l.applyPlan(o)
	sent := l.patches()[requests:]
	l.note("apply: sends %q, warnings %d, errors %q", sent, len(o.warnings), o.errors)
	switch {
	case len(o.blames) > 0:
		return fmt.Sprintf("Terraform blames: %q", o.blames)
	case l.refused(o):
		return l.imported(before)
	case l.moved && len(sent) == 0 && len(o.errors) == 1 && strings.Contains(o.errors[0], "changed since the plan"):
		l.moved = false
		l.note("again")
		return l.applied()
	case len(o.errors) > 0 && l.fault == "":
		return fmt.Sprintf("an error: %q", o.errors)
	case len(o.errors) > 0: // the next apply does what is left
		l.fault, l.fail, l.lost = "", nil, nil
		l.note("again")
		return l.applied()
	}
	if broken := l.checkPlatform(o, prior, before, l.lamps[id], sent); broken != "" {
		return broken
	}
	if broken := l.checkContract(prior, o.planned, before, l.lamps[id], sent); broken != "" {
		return broken
	}
	if l.moved {
		return ""
	}
	return l.checkRest(len(l.patches()))
}

// refused reports whether an adoption was refused, because it would remove or change a bulb.
func (l *life) refused(o *outcome) bool {
	return len(o.errors) == 1 && strings.Contains(o.errors[0], "has other bulbs")
}

// imported does what the error of a refused adoption says.
func (l *life) imported(lamp tfvalue.Value) string {
	if l.config["bulbs"] == nil || tfvalue.Alike(l.value(l.config).At("bulbs"), lamp.At("bulbs")) && !l.moved {
		return "an adoption that changes no bulb is refused"
	}
	l.note("import")
	l.moved, l.planConfig = false, nil
	if o := l.imports(l.config["lamp_id"].(string)); broken(o) != "" {
		return broken(o)
	}
	return l.applied()
}

// checkContract compares what an apply sent and did with what its plan showed.
func (l *life) checkContract(prior, planned, before, after tfvalue.Value, sent []string) string {
	if l.resets || len(l.blind) == 1 && l.blind[0] == "bulbs" { // which the plan cannot know
		return "" // then every managed leaf may be sent
	}
	for _, request := range sent {
		for _, name := range strings.Fields(request)[1:] {
			if path := strings.Split(name, "."); !prior.IsNull() && lampRules.Same(path[len(path)-1], prior.At(path...), planned.At(path...)) {
				return fmt.Sprintf("%s is sent, and the plan shows no change to it", name)
			}
		}
	}
	was, planned, now := prior.At("bulbs"), planned.At("bulbs"), after.At("bulbs")
	for _, bulb := range before.At("bulbs").Elements() {
		socket := bulb.At("socket").Text()
		if had := theBulb(was, socket); theBulb(now, socket) != theBulb(before.At("bulbs"), socket) && (had == "" || had == theBulb(planned, socket)) {
			return fmt.Sprintf("the bulb %s changed from %s to %s, and the plan shows no change to it", socket, theBulb(before.At("bulbs"), socket), theBulb(now, socket))
		}
	}
	return ""
}

// theBulb describes the bulb in a socket, "" if there is none.
func theBulb(bulbs tfvalue.Value, socket string) string {
	for _, bulb := range bulbs.Elements() {
		if bulb.At("socket").Text() == socket {
			return fmt.Sprint(bulb.At("on").True(), bulb.At("colors").Elements())
		}
	}
	return ""
}

func broken(o *outcome) string {
	if len(o.errors)+len(o.blames) > 0 {
		return fmt.Sprintf("errors %q, blames %q", o.errors, o.blames)
	}
	return ""
}

func wrongShape(config m, lamp tfvalue.Value) bool {
	shape, _ := config["shape"].(m)
	return shape["round"] != nil && !lamp.At("shape", "round").IsObject() || shape["square"] != nil && !lamp.At("shape", "square").IsObject()
}

// checkPlatform compares the lamp with the configuration, and what nobody manages with
// what it was.
func (l *life) checkPlatform(o *outcome, prior, before, after tfvalue.Value, sent []string) string {
	config, unreported := l.value(l.config), decodePrivate(l.private).unreported
	for _, path := range settable {
		want, was, now := config.At(path...), before.At(path...), after.At(path...)
		mayBeIgnored := slices.ContainsFunc(l.ignore, func(p tfvalue.Path) bool { return slices.Equal(p, path) })
		ignored := mayBeIgnored && o.action == "update"
		unchanged := o.action == "update" && lampRules.Same(path[len(path)-1], prior.At(path...), o.planned.At(path...)) // drift that the refresh missed
		switch {
		case slices.Equal(path, l.blind), slices.Equal(path, l.hidden) && want.IsEmpty(), l.moved && len(sent) == 0, slices.Contains(unreported, path.String()):
		case !want.IsNull() && !ignored && !unchanged && !l.moved:
			if !lampRules.Same(path[len(path)-1], want, now) && (!want.IsEmpty() || !now.IsEmpty()) && !mayBeIgnored {
				return fmt.Sprintf("%s is set to %v, and the platform has %v", path, want, now)
			}
		case want.IsNull() && !tfvalue.Alike(was, now):
			if !l.resets || len(sent) == 0 {
				return fmt.Sprintf("%s is not managed, and moved from %v to %v", path, was, now)
			}
			warned := strings.Contains(strings.Join(o.warnings, "\n"), "- "+path.String()+": was") || strings.Contains(strings.Join(o.warnings, "\n"), "- "+path.String()+", ")
			if !warned && !l.omitEmpty && l.blind == nil && !l.moved && len(l.edits) == 0 {
				return fmt.Sprintf("%s moved from %v to %v, and nobody was warned: %q", path, was, now, o.warnings)
			}
		}
	}
	return ""
}

// checkRest plans once more: nothing is left to be done.
func (l *life) checkRest(requests int) string {
	l.planConfig = nil
	o := l.plan()
	switch {
	case broken(o) != "":
		return "the next plan: " + broken(o)
	case o.action != "none" && l.hidden == nil:
		return fmt.Sprintf("the next plan is not empty: %s, %q", o.action, o.planned)
	case len(l.patches()) > requests:
		return "the next plan sends"
	default:
		return ""
	}
}

// configure changes the configuration.
func (l *life) configure() {
	path := settable[l.IntN(len(settable))]
	var v any
	if !l.one(3) {
		v = l.random(path)
	}
	if path[0] == "bulbs" && v != nil {
		for _, b := range v.([]any) {
			if l.one(3) {
				delete(b.(m), l.choose("colors", "on"))
			}
		}
	}
	set(l.config, v, path)
	if l.one(4) {
		l.config["secret"] = m{"user": l.choose("a", "b"), "version": l.choose("1", "2")}
	}
}

// set sets a leaf of a configuration, or removes it.
func set(config m, v any, path tfvalue.Path) {
	for _, name := range path[:len(path)-1] {
		inner, ok := config[name].(m)
		if !ok {
			if v == nil {
				return
			}
			inner = m{}
			config[name] = inner
		}
		config = inner
	}
	config[path[len(path)-1]] = v
}

func (l *life) drift(when string) {
	path, id := settable[l.IntN(len(settable))], l.config["lamp_id"].(string)
	if l.lamps[id].At(path[:len(path)-1]...).IsNull() {
		return // a lamp keeps its shape
	}
	v := l.random(path)
	l.note("%s, %s = %v", when, path, v)
	l.change(id, v, path...)
}

// unknown makes a value of the configuration unknown in the plan.
func (l *life) unknown() {
	var names []string
	for name, v := range l.config {
		if name != "lamp_id" && v != nil {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	name := l.choose(names...)
	l.planConfig = maps.Clone(l.config)
	l.planConfig[name] = unknown
	l.note("%s is unknown in the plan", name)
}
