package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// The commands of a user. Those that are not expected to fail end the test if they do.

// tryApply plans and applies.
func (b *managed) tryApply() *result {
	b.t.Helper()
	r := b.tryPlan(b.start())
	if r.action != "error" {
		b.carryOut(b.start(), r)
	}
	return r
}

// learn makes another value known only after apply.
func (b *managed) learn(later cty.Value) { b.later, b.known = later, false }

func (b *managed) must(r *result) *result {
	b.t.Helper()
	if len(r.errors) > 0 {
		b.t.Fatal(r)
	}
	return r
}

func (b *managed) plan() *result { b.t.Helper(); return b.must(b.tryPlan(b.start())) }

func (b *managed) apply() *result { b.t.Helper(); return b.must(b.tryApply()) }

// applyPlan applies a plan that was made before.
func (b *managed) applyPlan(r *result) *result {
	b.t.Helper()
	b.carryOut(b.start(), r)
	return b.must(r)
}

// applyAs sets other arguments, and applies them.
func (b *managed) applyAs(arguments string) *result {
	b.t.Helper()
	b.arguments = arguments
	return b.apply()
}

// refuses expects one error that can be read, with these texts, and that nothing is sent.
func (b *managed) refuses(r *result, texts ...string) {
	b.t.Helper()
	if len(r.errors) != 1 {
		b.t.Errorf("%d errors, want one with %q: %s", len(r.errors), texts, r)
		return
	}
	wantText(b.t, folded(r.errors[0]), texts...)
	wantNoText(b.t, r.errors[0], "hush-hush")
	wantReadable(b.t, r.errors[0])
	b.wantWrites()
}

// wantQuiet fails unless the next plan is empty, warns about nothing and sends nothing.
func (b *managed) wantQuiet() {
	b.t.Helper()
	sent := len(b.Writes())
	r := b.plan()
	warnings := slices.DeleteFunc(r.warnings, func(warning string) bool { return strings.HasPrefix(warning, "Attribute Deprecated") })
	if r.action != "none" || len(warnings) > 0 {
		b.t.Errorf("the next plan is not empty: %s %v, warnings %q", r.action, r.changed(), warnings)
	}
	if all := b.Writes(); len(all) != sent {
		b.t.Errorf("a plan sends %q", all[sent:])
	}
}

// changed are the dotted paths of what a plan changes to a known value.
func (r *result) changed() []string {
	return leavesWhere("", r.prior, r.planned, func(was, will tfvalue.Value) bool { return !isLater(will) && !will.Equal(was) })
}

// unknown are those of what it leaves until after the apply.
func (r *result) unknown() []string {
	return leavesWhere("", r.prior, r.planned, func(_, will tfvalue.Value) bool { return isLater(will) })
}

func isLater(value tfvalue.Value) bool { return !value.IsFullyKnown() && !value.IsObject() }

// leavesWhere are the dotted paths of what an object was and will be, where a condition holds.
func leavesWhere(at string, was, will tfvalue.Value, holds func(was, will tfvalue.Value) bool) (paths []string) {
	if !was.IsObject() || !will.IsObject() {
		if holds(was, will) {
			paths = append(paths, at)
		}
		return paths
	}
	for name, member := range will.Members() {
		paths = append(paths, leavesWhere(strings.TrimPrefix(at+"."+name, "."), was.At(name), member, holds)...)
	}
	return paths
}

// shown is the state as JSON has it.
func (b *managed) shown() object { return inJSON(b.t, b.block.State.Value) }

func inJSON(t *testing.T, value cty.Value) object {
	t.Helper()
	text := must(ctyjson.Marshal(value, value.Type()))
	all, _ := fromJSON(t, string(text)).(object)
	return all
}

// must is what a call returns that fails only if a test is wrong.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
