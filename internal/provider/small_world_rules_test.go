package provider

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// What must hold in a small world. The rules know the plan, the requests and the documents,
// and nothing of how the provider works.

// guardedTime is how old what a PATCH rests on may be.
const guardedTime = 10 * time.Second

// unguarded reports whether the colleague acted between a PATCH and the read that it rests
// on, which nothing can guard against.
func (w *smallWorld) unguarded(at int) bool {
	e, read := w.events[at], smallEvent{number: -1}
	for _, earlier := range w.events[:at] {
		if earlier.told {
			read = earlier
		}
	}
	return slices.ContainsFunc(w.acts, func(act smallAct) bool {
		isHidden := read.number < act.actsBefore || act.at.After(read.began.Add(-w.platform.lag))
		return isHidden && act.actsBefore <= e.number && !e.began.After(read.end.Add(guardedTime))
	})
}

// looksLost reports whether the colleague removed a mapping after a PATCH and before the end of
// the next read, which may take two requests: it may as well have been the PATCH, whose
// response may show the past. It is added as it was before that PATCH, or before the apply. On
// a platform that lags, the read is the first one that shows the PATCH.
func (w *smallWorld) looksLost(name string, prior, mapping smallMapping) bool {
	return slices.ContainsFunc(w.acts, func(act smallAct) bool {
		reads, last, shows := 2, smallSet{}, time.Time{}
		for _, e := range w.events {
			switch {
			case e.number >= act.actsBefore:
				continue
			case e.method == http.MethodPatch && e.carriedOut:
				reads, shows = 0, e.end.Add(w.platform.lag)
			case e.told && !e.began.Before(shows):
				reads++
			}
			last = e.after
		}
		return reads < 2 && act.removes(name) && (mapping == last[name] || mapping == prior)
	})
}

// removes reports whether a colleague has removed a mapping.
func (a smallAct) removes(name string) bool {
	return a.colleague == "removes" && name == a.table+">"+a.table
}

// columns are those that a mapping excludes.
func (m smallMapping) columns() []string {
	return slices.DeleteFunc(strings.Split(m.excludes, ","), func(column string) bool { return column == "" })
}

// check checks the requests of an apply, and what is left by it.
func (w *smallWorld) check() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	prior, planned := w.plan.from, w.plan.set
	exempt := false
	gone := smallSet{} // what the platform lost, or this apply removed, as it was last
	removed := smallSet{}
	for at, e := range w.events {
		if e.method != http.MethodPatch {
			continue
		}
		free := w.unguarded(at)
		exempt = exempt || free
		removes := smallSetOf(member(e.body, "source.postgres.tableMappingsToRemove"))
		adds := smallSetOf(member(e.body, "source.postgres.tableMappingsToAdd"))
		for name, mapping := range removes {
			removed[name] = mapping
			if will, stays := planned[name]; !prior.has(name) || stays && will == prior[name] {
				say("request %d removes %s", at, name)
			}
		}
		for name, mapping := range adds {
			changes := planned.has(name) && (!prior.has(name) || prior[name] != planned[name] || w.plan.adopts && !e.before.has(name))
			was, wasGone := gone[name]
			switch {
			case changes && mapping == planned[name]:
			case wasGone && (was == mapping || w.platform.omitsEmpty && mapping == smallMapping{was.excludes, prior[name].sortedBy}) && (!e.before.has(name) || free):
			case free || exempt:
			case w.looksLost(name, prior[name], mapping):
			default:
				say("request %d adds %s %v", at, name, mapping)
			}
		}
		if !e.carriedOut {
			continue
		}
		for name, is := range e.before {
			if !e.after.has(name) {
				gone[name] = is
			}
		}
		if !exempt {
			wrong = append(wrong, w.uncovered(at, e, adds, gone)...)
		}
	}
	wrong = append(wrong, w.checkEnd(exempt, removed, gone)...)
	return wrong
}

// uncovered are the columns of a table that a mapping excluded last, before this apply
// removed it or the platform lost it, and that a mapping that is added does not, but for
// those that the plan showed. One that is added again is compared with what it was itself.
func (w *smallWorld) uncovered(at int, e smallEvent, adds, gone smallSet) (wrong []string) {
	for name := range adds {
		if !e.after.has(name) {
			continue
		}
		table, _, _ := strings.Cut(name, ">")
		for old, was := range gone {
			if source, _, _ := strings.Cut(old, ">"); source != table || old != name && (e.after.has(old) || gone.has(name)) {
				continue
			}
			for _, column := range was.columns() {
				if !slices.Contains(e.after[name].columns(), column) && !slices.Contains(w.plan.from[old].columns(), column) {
					wrong = append(wrong, fmt.Sprintf("request %d uncovers %s of %s, which %s excluded", at, column, name, old))
				}
			}
		}
	}
	return wrong
}

// checkEnd checks what the platform has in the end, and what is said of it.
func (w *smallWorld) checkEnd(exempt bool, removed, gone smallSet) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	prior, planned := w.plan.from, w.plan.set
	text, now := strings.Join(w.errors, "\n"), w.held()
	removedByColleague := func(name string) bool {
		return slices.ContainsFunc(w.acts, func(act smallAct) bool { return act.removes(name) })
	}
	lastShown := smallSet{} // by the platform
	for _, e := range w.events {
		if e.shown != nil {
			lastShown = e.shown
		}
	}
	_, list, _ := strings.Cut(text, "are not known to be added again. They were:\n\n")
	listed := smallSet{}
	for line := range strings.Lines(list) {
		if name, ok := strings.CutPrefix(line, "  - public."); ok {
			name, _, _ = strings.Cut(strings.Replace(name, " to ", ">", 1), ":")
			listed[name] = smallMapping{}
			// Not the one that somebody has changed meanwhile, which is not as it is wanted.
			isMissed := removed.has(name) || gone.has(name) || removedByColleague(name)
			if lastShown.has(name) && lastShown[name] == planned[name] || !isMissed && !exempt {
				say("%s is listed as removed, and is there: %v", name, now[name])
			}
		}
	}
	for name := range prior {
		_, stays := planned[name]
		source, _, _ := strings.Cut(name, ">")
		for other := range planned { // what replaces it, and was never seen to be there
			if table, _, _ := strings.Cut(other, ">"); table == source && !now.has(other) && !w.hasShown(other, planned[other]) {
				stays = true
			}
		}
		if stays && !now.has(name) && !listed.has(name) && !removedByColleague(name) && removed.has(name) {
			say("%s was removed, and nothing says so: %q", name, text)
		}
	}
	if len(w.errors) == 0 && len(w.acts) == 0 && !w.platform.changesOthers {
		if !maps.Equal(now, planned) {
			say("the platform has %v, planned was %v", now, planned)
		}
		if name := w.Pipe(w.id)["name"]; name != w.plan.name {
			say("the name is %v", name)
		}
	}
	ends := slices.ContainsFunc(w.troubles, func(t smallTrouble) bool { return t.fault == "400" || t.fault == "unreadable" })
	if len(w.errors) > 0 && !ends && len(w.acts) == 0 && !w.platform.forgets {
		say("an error without a reason: %s", text)
	}
	return wrong
}

// hasShown reports whether a response has shown a mapping.
func (w *smallWorld) hasShown(name string, mapping smallMapping) bool {
	return slices.ContainsFunc(w.events, func(e smallEvent) bool { return e.shown.has(name) && e.shown[name] == mapping })
}

// checkNext checks the plan after an apply without errors: it has nothing to do, or shows
// what the colleague did to the mappings.
func (w *smallWorld) checkNext(next *terraformtest.Change) (wrong []string) {
	if next.Failed() {
		return []string{fmt.Sprintf("the next plan fails: %s", next)}
	}
	same := maps.Equal(w.held(), w.plan.set)
	switch {
	case next.Action == terraformtest.None && !same:
		return []string{fmt.Sprintf("the next plan is empty, and the platform has %v", w.held())}
	case next.Action != terraformtest.None && same:
		return []string{fmt.Sprintf("the next plan is to %s, and the mappings are as planned", next.Action)}
	case next.Action != terraformtest.None && len(w.acts) == 0 && !w.platform.changesOthers:
		return []string{fmt.Sprintf("the next plan is to %s", next.Action)}
	}
	return nil
}

// story is what happened, for a message.
func (w *smallWorld) story() string {
	var lines []string
	for i, e := range w.events {
		lines = append(lines, fmt.Sprintf("%d %s %s %s, carried out %t, told %t: %v -> %v", i, e.began.Format("05.000"), e.method, toJSON(w.t, e.body), e.carriedOut, e.told, e.before, e.after))
	}
	for _, act := range w.acts {
		lines = append(lines, fmt.Sprintf("somebody %s %s before request %d at %s", act.colleague, act.table, act.actsBefore, act.at.Format("05.000")))
	}
	return strings.Join(append(lines, fmt.Sprintf("errors %q", w.errors)), "\n")
}
