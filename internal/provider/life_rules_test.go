package provider

import (
	"maps"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What has to hold in a life. The rules compare JSON texts, and know nothing of how the
// provider works.

func pathOf(leaf string) []string { return strings.Split(snake(leaf), ".") }

// checkPlans checks that a plan writes nothing, and begins with what the platform has.
func (l *life) checkPlans() {
	if sent := l.Writes(); len(sent) > 0 {
		l.t.Errorf("a plan sends %q", sent)
	}
	for _, b := range l.blocks {
		prior, doc := b.result.prior, b.document()
		if len(b.result.errors) > 0 && l.expected(b) == "" {
			l.t.Errorf("the plan of %s has errors: %q", b, b.result.errors)
		}
		if prior.IsNull() {
			continue
		}
		for _, leaf := range b.leaves {
			now, is := shownValue(prior.At(pathOf(leaf)...)), member(doc, leaf)
			if leaf == tableMappings {
				if has := mappingsIn(prior); !l.holds(has, mappingsOn(doc)) {
					l.t.Errorf("%s has %v, and the plan begins with %v", b, is, has)
				}
			} else if plain(now) != plain(is) {
				l.t.Errorf("%s has %s = %v, and the plan begins with %v", b, leaf, is, now)
			}
		}
	}
}

// holds reports whether mappings are those that the platform has, as far as responses show.
func (l *life) holds(known, held mappingSet) bool {
	if l.lean {
		known = known.asFarAsShown(held)
	}
	return maps.Equal(known, held)
}

// expected is a part of an error that a resource may have without any trouble.
func (l *life) expected(b *lived) string {
	text := strings.Join(b.result.errors, "\n")
	for _, known := range []string{"has other table mappings", "changed since the plan"} {
		if strings.Contains(text, known) {
			return known
		}
	}
	return ""
}

// check checks what became of a resource, and reports whether it is to be applied again.
func (l *life) check(b *lived) (again bool) {
	r := b.result
	if r.action != "error" && !r.change.Prior.Value.IsNull() || r.action == "create" {
		l.checkBodies(b)
		l.checkMappings(b)
	} else if len(b.bodies) > 0 {
		l.t.Errorf("%s is not applied, and %q is sent", b, b.bodies)
	}
	if r.action == "create" && len(r.errors) > 0 && !b.state.IsNull() || b.block.State.Tainted {
		l.t.Errorf("the adoption of %s failed with %q, and the state has it: %s", b, r.errors, b.state)
	}
	switch known := l.expected(b); {
	case known != "":
		if len(b.bodies) > 0 {
			l.t.Errorf("%s has %q, and %q is sent", b, r.errors, b.bodies)
		}
		l.recover(b, known)
		return true
	case l.resets && l.trouble != "" && strings.Contains(r.String(), "They were left as they are, and the next plan shows them"):
		return true // after an attempt that failed, what the platform resets is told, and not restored
	case len(r.errors) == 0:
		l.checkDone(b)
	case l.trouble != "" && l.trouble != "flaky":
		return true
	case l.moved: // what the platform allows beside each other has changed
	default:
		l.t.Errorf("errors of %s: %q", b, r.errors)
	}
	return false
}

// recover does what an error says.
func (l *life) recover(b *lived, known string) {
	wanted, _ := b.config[tableMappings].(mappingSet)
	switch {
	case known != "has other table mappings":
		if !l.moved {
			l.t.Errorf("nothing changed since the plan: %q", b.result.errors)
		}
	case !b.state.IsNull() || !l.moved && maps.Equal(wanted, mappingsOn(b.document())):
		l.t.Errorf("refused, and there is no other mapping: %q", b.result.errors)
	default:
		b.importing = true
	}
}

// checkBodies checks that each PATCH has only what the plan changes, or restores what the
// PATCHes before it reset. TestSmallWorld checks what a PATCH has of table mappings.
func (l *life) checkBodies(b *lived) {
	prior, planned := b.result.prior, b.result.planned
	for i, text := range b.bodies {
		for leaf, value := range leaves(fromJSON(l.t, text)) {
			if strings.HasPrefix(leaf, tableMappings) {
				continue
			}
			was, will, held := prior.At(pathOf(leaf)...), planned.At(pathOf(leaf)...), member(b.before, leaf)
			changes := !will.IsNull() && will.IsKnown() && (prior.IsNull() || !was.Equal(will)) && plain(value) == plain(shownValue(will))
			restores := l.resets && i > 0 && plain(value) == plain(held)
			if !changes && !restores {
				l.t.Errorf("%s sends %s: %s was %v, and the plan has %v", b, text, leaf, was, will)
			}
		}
	}
}

// checkMappings checks that no mapping is removed and no column uncovered that the plan did
// not show so.
func (l *life) checkMappings(b *lived) {
	doc, r := b.document(), b.result
	if b.id != mockplatform.PostgresPipeID {
		return
	}
	was, will, now := mappingsIn(r.prior), mappingsIn(r.planned), mappingsOn(doc)
	for name, held := range mappingsOn(b.before) {
		isHalf := strings.Contains(strings.Join(r.errors, ""), labelOf(name)) // removed, and not added again
		if !now.has(name) && (!was.has(name) || will.has(name) && !isHalf) {
			l.t.Errorf("%s is gone, planned %v, said: %q", name, will[name], r.errors)
		}
		for _, column := range held.columns() {
			isShown := was[name].excludesColumn(column) && will.has(name) && !will[name].excludesColumn(column)
			if now.has(name) && !now[name].excludesColumn(column) && !isShown {
				l.t.Errorf("%s uncovers %s, which the plan does not show", name, column)
			}
		}
	}
}

// checkDone checks that the platform has what the configuration sets.
func (l *life) checkDone(b *lived) {
	doc, r := b.document(), b.result
	if b.absent {
		return
	}
	for leaf, want := range b.config {
		at := pathOf(leaf)
		unchanged := !r.prior.IsNull() && plain(shownValue(r.prior.At(at...))) == plain(want)
		switch now := member(doc, leaf); {
		case leaf == b.ignored, l.moved && unchanged:
		case leaf == tableMappings && l.moved:
		case leaf == tableMappings:
			if !l.holds(want.(mappingSet), mappingsOn(doc)) {
				l.t.Errorf("%s has the mappings %v, want %v", b, now, want)
			}
		case plain(now) != plain(want):
			l.t.Errorf("%s has %s = %v, want %v", b, leaf, now, want)
		}
	}
}

// checkQuiet checks that the next plan has nothing to do.
func (l *life) checkQuiet() {
	l.ResetJournal()
	p := l.start()
	l.each(func(b *lived) { b.plan(p) })
	l.checkPlans()
	for _, b := range l.blocks {
		if r := b.result; r.action != "none" {
			l.t.Errorf("the next plan is to %s %s: %q, errors %q", r.action, b, r.changed(), r.errors)
		}
	}
}
