package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What has to hold in a life. The rules compare JSON texts, and know nothing of how the
// provider works.

func pathOf(leaf string) []string { return strings.Split(snake(leaf), ".") }

// checkPlans checks that a plan writes nothing, and begins with what the platform has.
func (l *life) checkPlans(troubled bool) {
	if sent := l.Writes(); len(sent) > 0 {
		l.t.Errorf("a plan sends %q", sent)
	}
	for _, b := range l.blocks {
		prior, doc := b.result.prior, b.document()
		if len(b.result.errors) > 0 && !troubled && l.gone != b.id && l.expected(b) == "" {
			l.t.Errorf("the plan of %s has errors: %q", b, b.result.errors)
		}
		if troubled || prior.IsNull() {
			continue
		}
		if doc == nil {
			l.t.Errorf("%s does not exist, and the plan begins with %s", b, prior)
		}
		for _, leaf := range b.leaves {
			now, is := shownValue(prior.At(pathOf(leaf)...)), member(doc, leaf)
			switch {
			case leaf == tableMappings:
				if has := mappingsIn(prior); !l.blindTo(leaf) && !l.holds(has, heldIn(doc)) {
					l.t.Errorf("%s has %v, and the plan begins with %v", b, is, has)
				}
			case leaf == l.hidden || leaf == l.blind || leaf == kafkaCredentials:
			case is == nil && slices.Contains(b.unread, leaf): // sent, and reset before a read has returned it
			case plain(now) != plain(is):
				l.t.Errorf("%s has %s = %v, and the plan begins with %v", b, leaf, is, now)
			}
		}
	}
}

// blindTo reports whether no response has a leaf, or a member of it.
func (l *life) blindTo(leaf string) bool { return strings.HasPrefix(l.blind, leaf) }

// expected is a part of an error that a resource may have without any trouble.
func (l *life) expected(b *lived) string {
	text := strings.Join(b.result.errors, "\n")
	for _, known := range []string{"has other table mappings", "changed since the plan", "cannot be sent"} {
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
	case l.gone == b.id || l.moved: // what the platform allows beside each other has changed
	case l.blindTo(tableMappings) && b.bodies != nil: // or cannot be known
	default:
		l.t.Errorf("errors of %s: %q", b, r.errors)
	}
	return false
}

// recover does what an error says.
func (l *life) recover(b *lived, known string) {
	held := heldIn(b.document())
	wanted, _ := b.config[tableMappings].([]object)
	switch known {
	case "has other table mappings":
		if !b.state.IsNull() || !l.moved && !l.blindTo(tableMappings) && sameMappings(wanted, held) {
			l.t.Errorf("refused, and there is no other mapping: %q", b.result.errors)
		}
		b.importing = true
	case "cannot be sent":
		if !strings.Contains(fmt.Sprint(held), decomposed) {
			l.t.Errorf("no name is in another form: %q", b.result.errors)
		}
		delete(b.config, tableMappings)
		b.ignored, b.later = "", ""
		l.writeOut(b)
	default:
		if !l.moved {
			l.t.Errorf("nothing changed since the plan: %q", b.result.errors)
		}
	}
}

// checkBodies checks that each PATCH has only what the plan changes, or restores what the
// PATCHes before it reset. TestSmallWorld checks what a PATCH has of table mappings, and
// TestPipeChanges what it has of credentials.
func (l *life) checkBodies(b *lived) {
	prior, planned := b.result.prior, b.result.planned
	for i, text := range b.bodies {
		for leaf, value := range leaves(fromJSON(l.t, text)) {
			if strings.HasPrefix(leaf, tableMappings) || strings.HasPrefix(leaf, "source.kafka.credentials.") {
				continue
			}
			was, will, held := prior.At(pathOf(leaf)...), planned.At(pathOf(leaf)...), member(b.before, leaf)
			if leaf == l.blind {
				held = shownValue(was) // what the platform has is not known
			}
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
	if b.id != mockplatform.PostgresPipeID || l.blindTo(tableMappings) || doc == nil {
		return
	}
	was, will, now := byName(mappingsIn(r.prior)), byName(mappingsIn(r.planned)), byName(heldIn(doc))
	for name, held := range byName(heldIn(b.before)) {
		is, exists := now[name]
		if !exists {
			half := len(r.errors) > 0 && strings.Contains(strings.Join(r.errors, ""), name)
			if was[name] == nil || will[name] != nil && !half {
				l.t.Errorf("%s is gone, planned %v, said: %q", name, will[name], r.errors)
			}
			continue
		}
		for _, column := range columnsOf(held, "excluded_columns") {
			shown := was[name] != nil && slices.Contains(columnsOf(was[name], "excluded_columns"), column) && will[name] != nil && !slices.Contains(columnsOf(will[name], "excluded_columns"), column)
			if !slices.Contains(columnsOf(is, "excluded_columns"), column) && !shown {
				l.t.Errorf("%s uncovers %s, which the plan does not show", name, column)
			}
		}
		if columns := columnsOf(is, "excluded_columns"); strings.Contains(fmt.Sprint(held), decomposed) && slices.Contains(columns, composed) && !strings.Contains(fmt.Sprint(is), decomposed) {
			l.t.Errorf("%s excludes %q, which have another form than before", name, columns)
		}
	}
}

// checkDone checks that the platform has what the configuration sets.
func (l *life) checkDone(b *lived) {
	doc, r := b.document(), b.result
	if b.absent || doc == nil {
		return
	}
	for leaf, want := range b.config {
		at := pathOf(leaf)
		unchanged := !r.prior.IsNull() && plain(shownValue(r.prior.At(at...))) == plain(want)
		switch now := member(doc, leaf); {
		case leaf == kafkaCredentials, leaf == b.ignored, leaf == l.hidden, l.blindTo(leaf), l.moved && unchanged:
		case leaf == tableMappings && l.moved:
		case leaf == tableMappings:
			if !l.holds(want.([]object), heldIn(doc)) {
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
	l.plan(l.start())
	l.checkPlans(false)
	for _, b := range l.blocks {
		if r := b.result; r.action != "none" && l.gone != b.id && !l.blindTo(tableMappings) {
			l.t.Errorf("the next plan is to %s %s: %q, errors %q", r.action, b, r.changed(), r.errors)
		}
	}
}
