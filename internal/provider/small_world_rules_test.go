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

// guardedTime is how old what a PATCH rests on may be, and settledTime how long reads must have shown
// an addition undone before it is sent again.
const guardedTime, settledTime = 10 * time.Second, 30 * time.Second

// beginning is the read that the apply began with: what the plan began with, if there was none.
func (w *smallWorld) beginning() *smallEvent {
	begun, leading := &smallEvent{shown: &smallPipe{smallName, smallHost, w.plan.from}}, 1
	if w.plan.adopts || w.platform.omitsEmpty {
		leading++ // Terraform plans an adoption again in the apply, and what is omitted is read twice
	}
	for _, e := range w.events {
		if e.method == http.MethodPatch || leading == 0 {
			break
		}
		if e.shown != nil {
			begun, leading = e, leading-1
		}
	}
	return begun
}

// first is what the apply began with, and last what the platform returned last.
func (w *smallWorld) first() smallPipe { return *w.beginning().shown }

func (w *smallWorld) last() smallPipe {
	last := w.first()
	for _, e := range w.events {
		if e.shown != nil {
			last = *e.shown
		}
	}
	return last
}

// edits reports whether the plan removes or adds a mapping.
func (w *smallWorld) edits(name string) bool {
	was, will := w.plan.from, w.plan.set
	if w.plan.adopts {
		was = w.first().set
	}
	return was.has(name) != will.has(name) || was[name] != will[name]
}

// unguarded reports whether the colleague acted between the read that a PATCH rests on and the PATCH,
// which nothing can guard against.
func (w *smallWorld) unguarded(e *smallEvent) bool {
	read, until := &smallEvent{}, max(e.sequence, e.done)
	for _, earlier := range w.events {
		if earlier.sequence < until && earlier.shown != nil && (earlier.method == http.MethodGet || !w.platform.returnsThePast) && earlier != e {
			read = earlier
		}
	}
	return slices.ContainsFunc(w.acts, func(act smallAct) bool {
		isHidden := read.sequence < act.sequence || act.at.After(read.began.Add(-w.platform.lag))
		return isHidden && act.sequence <= until && (e.done > e.sequence+1 || !e.began.After(read.began.Add(guardedTime)))
	})
}

// check checks the requests of an apply, what it says, and what is left by it.
func (w *smallWorld) check() (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	gone, isFree := smallSet{}, false // what the platform lost, or this apply removed, as it was last
	for at, e := range w.events {
		if e.method != http.MethodPatch {
			continue
		}
		w.checkRequest(e, w.events[:at], say)
		if isFree = isFree || w.unguarded(e); e.done == 0 {
			continue
		}
		for name, is := range e.before.set {
			if !e.after.set.has(name) {
				gone[name] = is
			}
		}
		if !isFree {
			w.checkUncovered(e, gone, say)
		}
	}
	w.checkOutput(say)
	w.checkList(say)
	w.checkEnd(say)
	return wrong
}

// checkRequest checks what a PATCH has, given what the apply has sent before.
func (w *smallWorld) checkRequest(e *smallEvent, before []*smallEvent, say func(string, ...any)) {
	removes, adds, first := e.removes(), e.adds(), w.first()
	for name := range removes {
		if w.plan.adopts || !w.plan.from.has(name) || !w.edits(name) {
			say("%d removes %s", e.sequence, name)
		}
	}
	for name, mapping := range adds {
		if !w.edits(name) || !w.plan.set.has(name) || mapping != w.plan.set[name] {
			say("%d adds %s %v", e.sequence, name, mapping)
		}
	}
	sent := smallPipeOf(e.body)
	changesName := w.plan.name != smallName || w.plan.adopts
	if sent.name != "" && !changesName || sent.host != "" && !w.plan.adopts {
		w.checkRestore(e, sent, before, say)
	} else if sent.name != "" && sent.name != w.plan.name {
		say("%d sends the name %s", e.sequence, sent.name)
	}
	if sent.host != "" && sent.host != smallHost && sent.host != first.host {
		say("%d sends the host %s", e.sequence, sent.host)
	}
	times := 0
	for _, was := range before {
		if was.method != http.MethodPatch || !was.accepted && !was.unknown {
			continue
		}
		if was.unknown && len(was.removes()) > 0 && (len(removes) > 0 || len(adds) > 0 && !was.isSeen(before)) {
			say("%d begins after %d, which may still remove mappings", e.sequence, was.sequence)
		}
		for name := range adds {
			if !was.adds().has(name) {
				continue
			}
			times++
			if times > 1 || was.accepted || e.began.Sub(was.began) < settledTime {
				say("%d adds %s again", e.sequence, name)
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

// checkRestore checks a PATCH with leaves that the plan does not change: they are as they were, and
// nobody else can have changed them.
func (w *smallWorld) checkRestore(e *smallEvent, sent smallPipe, before []*smallEvent, say func(string, ...any)) {
	first := w.first()
	if len(e.removes())+len(e.adds()) > 0 || sent.name != first.name && sent.name != w.plan.name || sent.host != first.host {
		say("%d restores %v, which was %v", e.sequence, sent, first)
	}
	last := e.began
	for _, was := range before {
		if was.method == http.MethodPatch && !was.accepted {
			say("%d restores leaves after %d failed", e.sequence, was.sequence)
		}
		if was.shown != nil {
			last = was.began
		}
	}
	if e.began.Sub(last) > guardedTime {
		say("%d restores leaves that are %s old", e.sequence, e.began.Sub(last))
	}
}

// checkUncovered checks that no column is uncovered that a mapping of a table excluded last, before
// this apply removed it or the platform lost it, but for those that the plan showed. A mapping that is
// added again is compared with what it was itself.
func (w *smallWorld) checkUncovered(e *smallEvent, gone smallSet, say func(string, ...any)) {
	columns := func(m smallMapping) []string {
		return strings.FieldsFunc(m.excludes, func(r rune) bool { return r == ',' })
	}
	after := e.after.set
	for name := range e.adds() {
		table, _, _ := strings.Cut(name, ">")
		for old, was := range gone {
			if source, _, _ := strings.Cut(old, ">"); !after.has(name) || source != table || old != name && (after.has(old) || gone.has(name)) {
				continue
			}
			for _, column := range columns(was) {
				if !slices.Contains(columns(after[name]), column) && !slices.Contains(columns(w.plan.from[old]), column) {
					say("%d uncovers %s of %s, which %s excluded", e.sequence, column, name, old)
				}
			}
		}
	}
}

// output is all that the apply says.
func (w *smallWorld) output() string { return strings.Join(append(w.errors, w.warnings...), "\n") }

func (w *smallWorld) names(mapping string) bool {
	return strings.Contains(w.output(), "public."+strings.Replace(mapping, ">", " to ", 1))
}

func (w *smallWorld) namesLeaf(name string) bool {
	return strings.Contains(w.output(), "- "+name+": was") || strings.Contains(w.output(), name+" of pipe") || strings.Contains(w.output(), name+" was sent") ||
		w.omits() && strings.Contains(w.output(), "contains them. The platform may show them later, or never, so it is not known whether they are in effect:\n\n  - "+name+"\n")
}

// checkOutput checks that the apply names all that it was shown of what is managed, and changed
// although the plan did not change it; and, after an error, that the state is what was shown last.
func (w *smallWorld) checkOutput(say func(string, ...any)) {
	first, begun := w.first(), w.beginning().sequence
	// A set that had mappings and is omitted is not known. The next plan shows it.
	isUnknown := func(set smallSet) bool { return len(set) == 0 && w.platform.omitsEmpty }
	// A read that failed ended the wait for what was sent: of what was found instead, or of what reads of
	// the past do not show, only the state has to know.
	isCut := strings.Contains(w.output(), "Cannot read pipe after its update")
	for _, e := range w.events {
		if e.shown == nil || e.sequence < begun || isCut && w.platform.readsOnly && !e.shown.is(w.last()) {
			continue
		}
		hasSent := func(leaf string) bool {
			return isCut && slices.ContainsFunc(w.events, func(e *smallEvent) bool { return member(e.body, leaf) != nil })
		}
		isTold := func(now string) bool { return now != "" || !w.omits() || len(w.errors) == 0 }
		if now := e.shown.host; now != first.host && isTold(now) && !w.plan.adopts && !w.namesLeaf("source.postgres.host") && !hasSent("source.postgres.host") {
			say("%d shows another host, and nothing says so", e.sequence)
		}
		if now := e.shown.name; now != first.name && isTold(now) && w.plan.name == smallName && !w.namesLeaf("name") && !hasSent("name") {
			say("%d shows another name, and nothing says so", e.sequence)
		}
		for name, was := range first.set {
			if now, is := e.shown.set[name]; (now != was || !is) && !w.edits(name) && !w.names(name) && !isUnknown(e.shown.set) {
				say("%d shows another %s, and nothing says so", e.sequence, name)
			}
		}
	}
	last, isPatch := w.last(), func(e *smallEvent) bool { return e.method == http.MethodPatch }
	if undone := w.undone(); len(w.errors) == 0 && len(undone) > 0 {
		say("%s is not as planned at last, and no error says so", undone)
	}
	hasBegun := slices.ContainsFunc(w.events, isPatch) || len(w.events) > 0 && w.events[len(w.events)-1].shown != nil
	if len(w.errors) == 0 || w.plan.adopts || !hasBegun || w.standsTwice() {
		return
	}
	doc := renamedDeep(shownValue(w.read(w.block.State.Value)))
	state := smallPipeOf(doc)
	if last.host == "" && w.omits() { // which a second read has to confirm
		last.host = state.host
	}
	if last.name == "" && w.omits() {
		last.name = state.name
	}
	if isUnknown(last.set) {
		last.set = state.set
	}
	isSorted := func(m smallMapping) bool { return m.sortedBy != "" }
	if !slices.ContainsFunc(slices.Collect(maps.Values(last.set)), isSorted) { // then it is not known
		for name, mapping := range state.set {
			state.set[name] = smallMapping{mapping.excludes, ""}
		}
	}
	if !state.is(last) {
		say("the state is %v, and the platform returned %v", state, last)
	}
}

// undone are the mappings that the plan adds and that were not returned as planned at last.
func (w *smallWorld) undone() (names []string) {
	for name, will := range w.plan.set {
		if is, there := w.last().set[name]; w.edits(name) && (is != will || !there) {
			names = append(names, name)
		}
	}
	return names
}

// omits reports whether what is empty is omitted.
func (w *smallWorld) omits() bool {
	return w.platform.omitsEmpty || w.platform.title == "resets all to absent"
}

// renamedDeep is a value of a state, with the names of a document.
func renamedDeep(value any) any {
	switch value := value.(type) {
	case object:
		all := object{}
		for name, member := range value {
			all[camelCase(name)] = renamedDeep(member)
		}
		return all
	case []any:
		all := make([]any, len(value))
		for i, element := range value {
			all[i] = renamedDeep(element)
		}
		return all
	default:
		return value
	}
}

// related reports whether two mappings share their source table or their target.
func related(one, other string) bool {
	source, target, _ := strings.Cut(strings.ToLower(one), ">")
	source2, target2, _ := strings.Cut(strings.ToLower(other), ">")
	return source == source2 || target == target2
}

// checkList checks the mappings that an error lists as removed: all that are, or may be, and whose
// replacement was never seen.
func (w *smallWorld) checkList(say func(string, ...any)) {
	removed, sent, gone := smallSet{}, smallSet{}, smallSet{} // gone may be listed: somebody else has removed it
	for _, e := range w.events {
		for name, was := range w.plan.from {
			if e.shown != nil && !e.shown.set.has(name) && w.plan.set[name] != was {
				gone[name] = was
			}
		}
		for name := range e.removes() {
			sent[name] = w.first().set[name]
			// A rejection may come half way, as far as a read after it shows, which may be of the past.
			isRead := slices.ContainsFunc(w.events, func(later *smallEvent) bool { return later.sequence > e.sequence && later.shown != nil })
			isLost := !e.accepted && w.platform.lag == 0 && (!isRead || !w.last().set.has(name))
			if isLost || e.accepted || e.unknown {
				removed[name] = w.first().set[name]
			}
		}
	}
	listed := map[string]string{}
	_, list, _ := strings.Cut(strings.Join(w.errors, "\n"), "are not known to be added again. They were:\n\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		name, excludes, _ := strings.Cut(strings.TrimPrefix(line, "  - public."), ":")
		listed[strings.Replace(name, " to ", ">", 1)] = excludes
	}
	last := w.last()
	for name, text := range listed {
		isThere := true
		for add, mapping := range w.plan.set {
			if w.edits(add) && related(name, add) && (!last.set.has(add) || last.set[add] != mapping) {
				isThere = false
			}
		}
		if isThere || !gone.has(name) && (!sent.has(name) || !removed.has(name) && w.platform.lag == 0) {
			say("%s is listed as removed: %v, now %v", name, removed, last.set)
		}
		if want := smallColumns(w.plan.from[name].excludes); !strings.Contains(text, "excluded_columns = "+strings.ReplaceAll(toJSON(w.t, want), ",", ", ")) {
			say("%s is listed with%s, not %v", name, text, want)
		}
	}
	for name := range removed {
		for add, mapping := range w.plan.set {
			isSeen := slices.ContainsFunc(w.events, func(e *smallEvent) bool { return e.shown != nil && e.shown.set.has(add) && e.shown.set[add] == mapping })
			if _, isListed := listed[name]; w.edits(add) && related(name, add) && !isSeen && !w.held().set.has(add) && !isListed {
				say("%s was removed, and nothing says so: %q", name, w.errors)
			}
		}
	}
}

// checkEnd checks what the platform has if nobody else has acted: what was planned, or what the
// output says.
func (w *smallWorld) checkEnd(say func(string, ...any)) {
	befell := func(faults ...string) bool {
		return slices.ContainsFunc(w.events, func(e *smallEvent) bool { return slices.Contains(faults, e.fault) })
	}
	lost := slices.ContainsFunc(w.events, func(e *smallEvent) bool {
		return e.unknown && len(e.removes()) > 0 && (e.done == 0 || e.doneAt.Sub(e.began) > settledTime)
	})
	switch {
	case len(w.acts) > 0:
		return
	case len(w.errors) > 0:
		isReason := lost || w.platform.forgets || befell("400", "400 half way", "unreadable")
		isReason = isReason || (w.platform.folds || w.platform.dropsSet) && len(w.undone()) > 0
		isReason = isReason || slices.ContainsFunc(w.events, func(e *smallEvent) bool { return e.method == http.MethodGet && e.fault == "409" })
		isHalfShown := w.platform.slowly != nil && slices.ContainsFunc(w.events, func(e *smallEvent) bool { return e.unknown })
		if !isReason && !isHalfShown {
			say("an error without a reason: %s", w.errors)
		}
		return
	}
	now := w.held()
	if now.name != w.plan.name && !w.namesLeaf("name") || now.host != smallHost && !w.namesLeaf("source.postgres.host") {
		say("the platform has %v", now)
	}
	for name := range w.plan.set.union(now.set) {
		isSaid := !w.edits(name) && w.names(name)
		if is, there := now.set[name]; (is != w.plan.set[name] || there != w.plan.set.has(name)) && !isSaid {
			say("the platform has %s %v", name, is)
		}
	}
	if w.standsTwice() && !befell("504, done in 40s") {
		say("a mapping stands twice: %v", w.Pipe(w.id))
	}
}

// standsTwice reports whether there are two mappings of one name, of which a smallSet has one.
func (w *smallWorld) standsTwice() bool {
	return len(listOf(member(w.Pipe(w.id), tableMappings))) != len(w.held().set)
}

func (s smallSet) union(other smallSet) smallSet {
	all := maps.Clone(s)
	maps.Copy(all, other)
	return all
}

// checkNext checks the plan after an apply without errors: it has nothing to do, or shows what differs
// on the platform.
func (w *smallWorld) checkNext(next *terraformtest.Change) (wrong []string) {
	isSame := w.held().is(smallPipe{w.plan.name, smallHost, w.plan.set})
	if next.Failed() || (next.Action == terraformtest.None) != isSame {
		return []string{fmt.Sprintf("the next plan is to %s: %v; the platform has %v", next.Action, next.Errors, w.held())}
	}
	return nil
}

// story is what happened, for a message.
func (w *smallWorld) story() string {
	var lines []string
	for _, e := range w.events {
		lines = append(lines, fmt.Sprintf("%d %s %s %s %s, accepted %t, done %d at %s: %v -> %v, shown %v", e.sequence, e.began.Format("05.000"), e.method, toJSON(w.t, e.body), e.fault, e.accepted, e.done, e.doneAt.Format("05.000"), e.before, e.after, e.shown))
	}
	for _, act := range w.acts {
		lines = append(lines, fmt.Sprintf("%d somebody %s %s at %s", act.sequence, act.colleague, act.table, act.at.Format("05.000")))
	}
	return strings.Join(append(lines, fmt.Sprintf("errors %q, warnings %q", w.errors, w.warnings)), "\n")
}
