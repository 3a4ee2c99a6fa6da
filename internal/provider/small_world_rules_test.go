package provider

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// What must hold in a small world. The rules know the plan, the requests and the documents,
// and nothing of how the provider works.

// guardedTime is how old what a PATCH rests on may be, and settledTime how long reads must have shown
// an addition undone before it is sent again.
const guardedTime, settledTime = 10 * time.Second, 30 * time.Second

// beginning is the read that the apply began with: what the plan began with, if there was none.
func (w *smallWorld) beginning() *smallEvent {
	begun, leading := &smallEvent{shown: &smallPipe{smallName, smallHost, w.plan.from}}, 1
	if w.platform.omitsEmpty {
		leading++ // what is omitted is read twice
	}
	for _, e := range w.events {
		if e.isPatch() || leading == 0 {
			break
		}
		if e.shown != nil {
			begun, leading = e, leading-1
		}
	}
	return begun
}

// ending is the last response that shows the pipe: that of the beginning, if there was none.
func (w *smallWorld) ending() *smallEvent {
	ended := w.beginning()
	for _, e := range w.events {
		if e.shown != nil {
			ended = e
		}
	}
	return ended
}

// first is what the apply began with, and last what the platform returned last.
func (w *smallWorld) first() smallPipe { return *w.beginning().shown }
func (w *smallWorld) last() smallPipe  { return *w.ending().shown }

// edits reports whether the plan removes or adds a mapping.
func (w *smallWorld) edits(name string) bool { return !w.plan.from.sameOf(w.plan.set, name) }

// unguarded reports whether the colleague acted between the read that a PATCH rests on and the PATCH,
// which nothing can guard against.
func (w *smallWorld) unguarded(e *smallEvent) bool {
	read, until := &smallEvent{}, max(e.sequence, e.done)
	for _, earlier := range w.events {
		if earlier.sequence < until && earlier.shown != nil && (!earlier.isPatch() || !w.platform.returnsThePast) && earlier != e {
			read = earlier
		}
	}
	return slices.ContainsFunc(w.acts, func(act smallAct) bool {
		isHidden := read.sequence < act.sequence || act.at.After(read.began.Add(-w.platform.lag))
		return isHidden && act.sequence <= until && (e.done > e.sequence+1 || !e.began.After(read.began.Add(guardedTime)))
	})
}

// check checks the requests of an apply, what it says, and what is left by it.
func (w *smallWorld) check() {
	gone, isFree := mappingSet{}, false // what the platform lost, or this apply removed, as it was last
	for at, e := range w.events {
		if !e.isPatch() {
			continue
		}
		w.checkRequest(e, w.events[:at])
		if isFree = isFree || w.unguarded(e); e.done == 0 {
			continue
		}
		for name, is := range e.before.set {
			if !e.after.set.has(name) {
				gone[name] = is
			}
		}
		if !isFree {
			w.checkUncovered(e, gone)
		}
	}
	w.checkOutput()
	w.checkList()
	w.checkState()
	w.checkEnd()
}

func (w *smallWorld) say(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// some reports whether something holds for a request.
func (w *smallWorld) some(holds func(*smallEvent) bool) bool {
	return slices.ContainsFunc(w.events, holds)
}

// checkRequest checks what a PATCH has, given what the apply has sent before.
func (w *smallWorld) checkRequest(e *smallEvent, before []*smallEvent) {
	removes, adds := e.removes(), e.adds()
	for name := range removes {
		if !w.plan.from.has(name) || !w.edits(name) {
			w.say("%d removes %s", e.sequence, name)
		}
	}
	for name, mapping := range adds {
		if !w.edits(name) || !w.plan.set.has(name) || mapping != w.plan.set[name] {
			w.say("%d adds %s %v", e.sequence, name, mapping)
		}
	}
	sent := smallPipeOf(e.body)
	if sent.name != "" && (w.plan.name == smallName || sent.name != w.plan.name) {
		w.say("%d sends the name %s", e.sequence, sent.name)
	}
	if sent.host != "" {
		w.say("%d sends the host %s", e.sequence, sent.host)
	}
	failed := func(was *smallEvent) bool { return was.isPatch() && was.fault != "" }
	if n := len(before); len(removes)+len(adds) > 0 && n > 0 && failed(before[n-1]) &&
		(before[n-1].fault != "429" || !slices.ContainsFunc(before[:n-1], failed)) { // one read may serve two limits
		w.say("%d rests on no read after %d, which failed", e.sequence, before[n-1].sequence)
	}
	times := 0
	for _, was := range before {
		if !was.isPatch() || !was.accepted && !was.unknown {
			continue
		}
		if was.unknown && len(was.removes()) > 0 && (len(removes) > 0 || len(adds) > 0 && !was.isSeen(before)) {
			w.say("%d begins after %d, which may still remove mappings", e.sequence, was.sequence)
		}
		for name := range adds {
			if !was.adds().has(name) {
				continue
			}
			times++
			if times > 1 || was.accepted || e.began.Sub(was.began) < settledTime {
				w.say("%d adds %s again", e.sequence, name)
			}
			break
		}
	}
}

// isSeen reports whether one of some requests showed that a PATCH removed what it removes.
func (e *smallEvent) isSeen(in []*smallEvent) bool {
	return slices.ContainsFunc(in, func(later *smallEvent) bool {
		isThere := func(name string) bool { return later.shown.set.has(name) }
		return later.sequence > e.sequence && later.shown != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(e.removes())), isThere)
	})
}

// checkUncovered checks that no column is uncovered that a mapping of a table excluded last, before
// this apply removed it or the platform lost it, but for those that the plan showed. A mapping that is
// added again is compared with what it was itself.
func (w *smallWorld) checkUncovered(e *smallEvent, gone mappingSet) {
	after := e.after.set
	for name := range e.adds() {
		table, _, _ := strings.Cut(name, ">")
		for old, was := range gone {
			if source, _, _ := strings.Cut(old, ">"); !after.has(name) || source != table || old != name && (after.has(old) || gone.has(name)) {
				continue
			}
			for _, column := range was.columns() {
				if !after[name].excludesColumn(column) && !w.plan.from[old].excludesColumn(column) {
					w.say("%d uncovers %s of %s, which %s excluded", e.sequence, column, name, old)
				}
			}
		}
	}
}

// output is all that the apply says.
func (w *smallWorld) output() string { return strings.Join(append(w.errors, w.warnings...), "\n") }

func (w *smallWorld) names(mapping string) bool {
	return strings.Contains(w.output(), strconv.Quote("public."+strings.Replace(mapping, ">", ":", 1)))
}

func (w *smallWorld) namesLeaf(name string) bool {
	says := func(text string) bool { return strings.Contains(w.output(), text) }
	return says("- "+name+": was") || says(name+" of pipe") || says(name+" was sent") ||
		w.omits() && says("or never, so it is not known whether they are in effect:\n\n  - "+name+"\n")
}

// checkOutput checks that the apply names all that it was shown of what is managed, and changed
// although the plan did not change it. What is back by the last response has not changed.
func (w *smallWorld) checkOutput() {
	first, begun := w.first(), w.beginning().sequence
	// A read that failed ended the wait for what was sent: of what was found instead, or of what reads of
	// the past do not show, only the state has to know.
	isCut := strings.Contains(w.output(), "Cannot read pipe after its update")
	isNamed := func(leaf, now, was, last string) bool {
		isUnconfirmed := isCut && w.some(func(e *smallEvent) bool { return member(e.body, leaf) != nil })
		isOmitted := now == "" && w.omits() && len(w.errors) > 0
		return now == was || last == was || isOmitted || isUnconfirmed || w.namesLeaf(snake(leaf))
	}
	for _, e := range w.events {
		isRefuted := e.isOld && !w.ending().isOld
		if e.shown == nil || e.sequence < begun || isRefuted || isCut && w.platform.returnsPatches && !e.shown.is(w.last()) {
			continue
		}
		if !isNamed("source.postgres.host", e.shown.host, first.host, w.last().host) {
			w.say("%d shows another host, and nothing says so", e.sequence)
		}
		if w.plan.name == smallName && !isNamed("name", e.shown.name, first.name, w.last().name) {
			w.say("%d shows another name, and nothing says so", e.sequence)
		}
		for name := range first.set {
			isBack := w.last().set.sameOf(first.set, name)
			if !e.shown.set.sameOf(first.set, name) && !isBack && !w.edits(name) && !w.names(name) && !w.isUnknown(e.shown.set) {
				w.say("%d shows another %s, and nothing says so", e.sequence, name)
			}
		}
	}
	if undone := w.undone(); len(w.errors) == 0 && len(undone) > 0 {
		w.say("%s is not as planned at last, and no error says so", undone)
	}
}

// isUnknown reports whether a response says nothing of the mappings: some that are omitted may be empty, or
// not. The next plan shows it.
func (w *smallWorld) isUnknown(set mappingSet) bool { return len(set) == 0 && w.platform.omitsEmpty }

// checkState checks that the state after an error is what was shown last.
func (w *smallWorld) checkState() {
	hasBegun := w.some((*smallEvent).isPatch) || len(w.events) > 0 && w.events[len(w.events)-1].shown != nil
	if len(w.errors) == 0 || !hasBegun {
		return
	}
	value, last := w.read(w.block.State.Value), w.last()
	state := smallPipe{value.At("name").Text(), value.At("source", "postgres", "host").Text(), mappingsIn(value)}
	if w.omits() { // which a second read has to confirm
		last.host, last.name = cmp.Or(last.host, state.host), cmp.Or(last.name, state.name)
	}
	if w.isUnknown(last.set) {
		last.set = state.set
	}
	if state.set = state.set.asFarAsShown(last.set); !state.is(last) {
		w.say("the state is %v, and the platform returned %v", state, last)
	}
}

// undone are the mappings that the plan adds and that were not returned as planned at last.
func (w *smallWorld) undone() (names []string) {
	for name := range w.plan.set {
		if w.edits(name) && !w.last().set.sameOf(w.plan.set, name) {
			names = append(names, name)
		}
	}
	return names
}

// omits reports whether what is empty is omitted, or reset to nothing.
func (w *smallWorld) omits() bool { return w.platform.omitsEmpty || w.platform.dropsSet }

// related reports whether two mappings share their source table or their target.
func related(one, other string) bool {
	source, target, _ := strings.Cut(strings.ToLower(one), ">")
	source2, target2, _ := strings.Cut(strings.ToLower(other), ">")
	return source == source2 || target == target2
}

// checkList checks the mappings that an error lists as removed: all that are, or may be, and whose
// replacement was never seen.
func (w *smallWorld) checkList() {
	listed, last := w.listed(), w.last()
	for name, text := range listed {
		isDone := true // all that the plan adds instead
		for add := range w.plan.set {
			if w.edits(add) && related(name, add) && !last.set.sameOf(w.plan.set, add) {
				isDone = false
			}
		}
		isGone := w.plan.from.has(name) && w.edits(name) && w.some(func(e *smallEvent) bool { return e.shown != nil && !e.shown.set.has(name) }) // whoever did it
		isSent := w.some(func(e *smallEvent) bool { return e.removes().has(name) })
		isRemoved := isSent && (w.platform.lag > 0 || w.mayHaveRemoved(name))
		if isDone || !isGone && !isRemoved {
			w.say("%s is listed as removed, and now there is %v", name, last.set)
		}
		if want := listOfColumns(w.plan.from[name].excludes); !strings.Contains(text, "excluded_columns = "+strings.ReplaceAll(toJSON(w.t, want), ",", ", ")) {
			w.say("%s is listed with%s, not %v", name, text, want)
		}
	}
	isSent := w.some(func(e *smallEvent) bool { return e.isPatch() && (e.accepted || e.unknown) && len(e.removes()) > 0 })
	for name, is := range last.set {
		was, will := w.plan.from[name], w.plan.set[name]
		isLess := slices.ContainsFunc(slices.Concat(was.columns(), will.columns()), func(column string) bool { return !is.excludesColumn(column) })
		if isSent && len(w.errors) > 0 && w.edits(name) && is != was && is != will && isLess && !strings.Contains(w.output(), "may be copied now") {
			w.say("%s %v excludes less, and nothing says so: %q", name, is, w.errors)
		}
	}
	for name := range w.plan.from {
		for add := range w.plan.set {
			_, isListed := listed[name]
			isSeen := w.some(func(e *smallEvent) bool { return e.shown != nil && e.shown.set.sameOf(w.plan.set, add) })
			isReplaced := !w.edits(add) || !related(name, add) || isSeen || w.held().set.has(add)
			if !isListed && !w.names(add) && !last.set.has(name) && !isReplaced && w.mayHaveRemoved(name) {
				w.say("%s was removed, and nothing says so: %q", name, w.errors)
			}
		}
	}
}

// listed are the mappings that an error lists as gone, or as not known, with what it says that they were.
func (w *smallWorld) listed() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(strings.Join(w.errors, "\n")) {
		name, text, isLine := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), `- "public.`), `": was `)
		was, is, _ := strings.Cut(text, "; should be ")
		isReplaced := !strings.HasPrefix(is, "missing; ")
		if isLine && was != "missing" && isReplaced && (strings.HasSuffix(is, "; is missing") || strings.HasSuffix(is, "; is not known")) {
			all[strings.Replace(name, ":", ">", 1)] = was
		}
	}
	return all
}

// mayHaveRemoved reports whether a PATCH has removed a mapping, as far as responses show. A rejection may
// come half way. What a read after it shows, and the next one does not, somebody else has removed between
// the two, which nothing can tell from this PATCH. Reads may be of the past.
func (w *smallWorld) mayHaveRemoved(name string) bool {
	return w.some(func(e *smallEvent) bool {
		isThere := w.some(func(later *smallEvent) bool {
			return later.sequence > e.sequence && later.shown != nil && later.shown.set.has(name)
		})
		return e.removes().has(name) && (e.accepted || e.unknown || w.platform.lag == 0 && !isThere && e.fault != "429")
	})
}

// checkEnd checks what the platform has if nobody else has acted: what was planned, or what the
// output says.
func (w *smallWorld) checkEnd() {
	isLost := w.some(func(e *smallEvent) bool {
		return e.unknown && len(e.removes()) > 0 && (e.done == 0 || e.doneAt.Sub(e.began) > settledTime)
	})
	switch {
	case len(w.acts) > 0:
		return
	case len(w.errors) > 0:
		isReason := isLost || w.platform.forgets || w.platform.dropsSet && len(w.undone()) > 0
		isFault := w.some(func(e *smallEvent) bool {
			return slices.Contains([]string{"400", "400 half way", "unreadable", "a filter after"}, e.fault) || e.fault == "409" && !e.isPatch()
		})
		if !isReason && !isFault {
			w.say("an error without a reason: %s", w.errors)
		}
		return
	}
	now := w.held()
	if now.name != w.plan.name && !w.namesLeaf("name") || now.host != smallHost && !w.namesLeaf("source.postgres.host") {
		w.say("the platform has %v", now)
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(w.plan.set)), slices.Collect(maps.Keys(now.set))) {
		isSaid := !w.edits(name) && w.names(name)
		if !now.set.sameOf(w.plan.set, name) && !isSaid {
			w.say("the platform has %s %v", name, now.set[name])
		}
	}
}

// checkNext checks the plan after an apply without errors: it has nothing to do, or shows what differs
// on the platform.
func (w *smallWorld) checkNext(next *terraformtest.Change) {
	isSame := w.held().is(smallPipe{w.plan.name, smallHost, w.plan.set})
	if next.Failed() || (next.Action == terraformtest.None) != isSame {
		w.say("the next plan is to %s: %v; the platform has %v", next.Action, next.Errors, w.held())
	}
}

// story is what happened, for a message.
func (w *smallWorld) story() string {
	var lines []string
	for _, e := range w.events {
		lines = append(lines, fmt.Sprintf("%d %s %s %s %s, accepted %t, done %d at %s: %v -> %v, shown %v", e.sequence, e.began.Format("05.000"),
			e.method, toJSON(w.t, e.body), e.fault, e.accepted, e.done, e.doneAt.Format("05.000"), e.before, e.after, e.shown))
	}
	for _, act := range w.acts {
		lines = append(lines, fmt.Sprintf("%d somebody %s %s at %s", act.sequence, act.colleague, act.table, act.at.Format("05.000")))
	}
	return strings.Join(append(lines, fmt.Sprintf("errors %q, warnings %q", w.errors, w.warnings)), "\n")
}
