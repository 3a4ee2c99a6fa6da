package provider

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// live takes all steps, up to the first that fails.
func (l *life) live() {
	for i, step := range l.spec.steps {
		l.logf("step %d: %s", i+1, step.name)
		l.step(step.name, rand.New(rand.NewPCG(step.seed, 3)))
		if len(l.failures) > 0 {
			return
		}
	}
}

// command runs a command, checks what came of it, and looks whether a plan is
// empty then.
func (l *life) command(c lifeCommand) {
	m := &lifeMoment{command: c, id: l.id(), before: l.doc(), fault: l.fault, once: l.once != "", omitted: l.once}
	for _, s := range l.driver.subjects {
		m.states = append(m.states, s.state)
	}
	if c.between != nil {
		between := c.between
		c.between = func() {
			between()
			m.mid = l.doc()
		}
		m.command.between = c.between
	}
	l.platform.ResetJournal()
	m.lifeOutcome = l.run(c)
	requests := l.platform.Requests()
	m.plan, m.apply = requests[:min(m.planned, len(requests))], requests[min(m.planned, len(requests)):]
	m.after = l.doc()
	if m.mid == nil {
		m.mid = m.before
	}
	l.record(m)
	if l.unchecked {
		l.settle()
		return
	}
	switch c.name {
	case "forget":
		return
	case "refresh":
		if m.failed() {
			l.fail("error", "%s", strings.Join(append(m.errors, m.blames...), "\n"))
		}
		if len(patchBodies(requests)) > 0 {
			l.fail("plan-writes", "a refresh writes")
		}
		return
	}
	l.check(m)
	l.settle()
	if len(l.failures) > 0 || !m.applied || m.failed() || c.name == "destroy" {
		return
	}
	for _, p := range m.plans {
		if p.action == "none" && (m.moved() || slices.ContainsFunc(l.all, m.unseen)) {
			return // what moved was not seen
		}
	}
	l.behave()
	l.platform.ClearFaults()
	l.platform.ResetJournal()
	o := l.run(lifeCommand{name: "plan"})
	l.checkRest(m, o, l.platform.Requests())
}

// settle ends what is unknown.
func (l *life) settle() {
	for _, s := range l.driver.subjects {
		s.unknown = nil
	}
}

func (l *life) record(m *lifeMoment) {
	var trace []string
	for _, p := range m.plans {
		trace = append(trace, p.action)
	}
	trace = append(trace, summaries(m.errors)...)
	trace = append(trace, summaries(m.blames)...)
	l.logf("  %s: %s", m.command.name, strings.Join(trace, ", "))
	for _, r := range append(slices.Clone(m.plan), m.apply...) {
		l.logf("    %s %s %d", r.Method, r.Body, r.Status)
		if r.Method != "GET" {
			trace = append(trace, lifeJSON(lifeParse(r.Body)))
		}
	}
	for _, text := range m.errors {
		l.logf("    error: %s", text)
	}
	for _, text := range m.blames {
		l.logf("    blame: %s", text)
	}
	for _, s := range l.driver.subjects {
		trace = append(trace, lifeSpell(s.state))
	}
	l.logf("    platform: %s", lifeJSON(l.shown()))
	l.traces = append(l.traces, strings.Join(trace, "\n    "))
}

// shown is the part of the object that the life is about.
func (l *life) shown() object {
	doc, part := l.doc(), object{}
	for _, leaf := range l.leaves {
		part[leaf.path] = member(doc, lifeField(leaf.path))
	}
	return part
}

// lived runs a life, a panic included.
func lived(t testing.TB, spec lifeSpec) (l *life) {
	l, end := newLife(t, spec)
	defer end()
	defer func() {
		if problem := recover(); problem != nil {
			stack := make([]byte, 4000)
			l.fail("panic", "%v\n%s", problem, stack[:runtime.Stack(stack, false)])
		}
	}()
	l.live()
	return l
}

// shrink drops what a failure doesn't need.
func shrink(t testing.TB, spec lifeSpec, rule string) lifeSpec {
	fails := func(s lifeSpec) bool {
		l := lived(t, s)
		return len(l.failures) > 0 && l.failures[0].rule == rule
	}
	for again := true; again; {
		again = false
		for i := len(spec.steps) - 1; i >= 0; i-- {
			less := spec
			less.steps = slices.Delete(slices.Clone(spec.steps), i, i+1)
			if fails(less) {
				spec, again = less, true
			}
		}
		for i := len(spec.features) - 1; i >= 0; i-- {
			less := spec
			less.features = slices.Delete(slices.Clone(spec.features), i, i+1)
			if fails(less) {
				spec, again = less, true
			}
		}
		for i := len(spec.leaves) - 1; i >= 0 && len(spec.leaves) > 1; i-- {
			less := spec
			less.leaves = slices.Delete(slices.Clone(spec.leaves), i, i+1)
			if fails(less) {
				spec, again = less, true
			}
		}
	}
	return spec
}
