package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// exchange writes to one object on the platform and believes what it answers.
//
// The API document doesn't say whether a PATCH resets what it omits, and any
// field may be missing from any answer. So what the platform held before is
// compared with what it answers, leaf by leaf.
type exchange struct {
	// noun and label name the object in sentences: a pipe, by its id.
	noun, label string
	// moves names the attributes that the platform moves by itself.
	moves []string
	read  func(ctx context.Context) (tftypes.Value, error)
	// stages are the leaves of each PATCH on the way from what is held to those
	// of send.
	stages func(send, held tftypes.Value) []tftypes.Value
	// patch sends exactly the leaves of send that are not null. held is what
	// the platform holds at that time.
	patch func(ctx context.Context, send, held tftypes.Value) (tftypes.Value, error)
}

// course is what is known of the object in the course of an exchange.
type course struct {
	// held is what it holds, as far as is known.
	held tftypes.Value
	// told is all that was told of it so far: what was never told can't be
	// missing.
	told tftypes.Value
	// answer is what was told last.
	answer tftypes.Value
}

// write brings the platform from before to what is owned, and returns what is
// known of it at the end. known is before, with what the answer left out as it
// was last known. Where nothing differs, nothing is sent, unless forced.
//
// Errors and warnings go to diags. After an error the value returned is still
// what is known of the platform.
func (x exchange) write(ctx context.Context, owned, known, before tftypes.Value, forced bool, diags *diag.Diagnostics) tftypes.Value {
	send := changes(owned, known)
	if !forced && !anyLeaf(send) {
		return known
	}
	c := &course{held: known, told: before, answer: before}
	if !x.send(ctx, send, c, diags) {
		return c.held
	}
	if strayed := slices.ContainsFunc(leaves(owned), func(l leaf) bool { return !c.stands(l) }); strayed {
		// The platform reset what a PATCH omitted: once more, with all that is
		// owned.
		if !x.send(ctx, owned, c, diags) {
			return c.held
		}
	}
	x.warnMoved(owned, before, c.answer, diags)
	return c.held
}

// send brings the object to these leaves, and tells whether it got there. Each
// PATCH has to be answered with what it sent, since the next may reset it
// again.
func (x exchange) send(ctx context.Context, leaves tftypes.Value, c *course, diags *diag.Diagnostics) bool {
	for _, stage := range x.stages(leaves, c.held) {
		if !x.once(ctx, stage, c, diags) {
			return false
		}
		x.refuse(stage, c, diags)
		if diags.HasError() {
			return false
		}
		c.told = fill(c.answer, c.told)
	}
	return true
}

// once makes one PATCH. What was told before and is missing in the answer is
// asked for, once; what is missing still is held no more.
func (x exchange) once(ctx context.Context, leaves tftypes.Value, c *course, diags *diag.Diagnostics) bool {
	answer, err := x.patch(ctx, leaves, c.held)
	if err != nil {
		addSentError(diags, "Unable to update "+x.noun, err, leaves)
		return false
	}
	c.answer, c.held = answer, remember(fill(leaves, c.held), answer)
	if len(missing(c.told, answer)) == 0 {
		return true
	}
	read, err := x.read(ctx)
	if err != nil {
		diags.AddError(
			fmt.Sprintf("Unable to read %s back", x.noun),
			fmt.Sprintf("The update of %s was accepted, but its answer left out fields that the platform had told before, and they could not be read:\n\n%s", x.label, err),
		)
		return false
	}
	c.answer = fill(answer, read)
	c.held = forget(remember(c.held, c.answer), missing(c.told, c.answer))
	return true
}

// stands tells whether the platform holds what is wanted of a leaf, as far as
// it tells. One that it never told can't be compared.
func (c *course) stands(wanted leaf) bool {
	told := at(c.answer, wanted.path...)
	if told.IsNull() && at(c.told, wanted.path...).IsNull() {
		return true
	}
	return answers(wanted.name(), wanted.value, told)
}

// refuse reports each leaf that was sent and is answered differently.
func (x exchange) refuse(sent tftypes.Value, c *course, diags *diag.Diagnostics) {
	for _, l := range leaves(sent) {
		if c.stands(l) {
			continue
		}
		diags.AddAttributeError(
			attributePath(l.path),
			fmt.Sprintf("Platform did not take %s of %s", dotted(l.path), x.label),
			fmt.Sprintf("%s was sent and accepted, but the platform holds another value: %s. "+
				"Set the attribute to what the platform holds, or leave it out to leave it alone.",
				dotted(l.path), describe(at(c.answer, l.path...))),
		)
	}
}

// warnMoved tells, in one warning, which leaves nobody owns and which moved
// all the same.
func (x exchange) warnMoved(owned, before, answer tftypes.Value, diags *diag.Diagnostics) {
	var lines []string
	for _, was := range leaves(before) {
		now := at(answer, was.path...)
		if slices.Contains(x.moves, was.path[0]) || !at(owned, was.path...).IsNull() || answers(was.name(), was.value, now) {
			continue
		}
		lines = append(lines, fmt.Sprintf("  - %s: %s before, %s now", dotted(was.path), describe(was.value), describe(now)))
	}
	if len(lines) == 0 {
		return
	}
	diags.AddWarning(
		fmt.Sprintf("Update of %s moved values that the configuration does not manage", x.label),
		"The platform changed these with the update, although they were not sent:\n\n"+strings.Join(lines, "\n")+
			"\n\nDeclare those that matter: what is declared is held.",
	)
}

func attributePath(names []string) path.Path {
	at := path.Root(names[0])
	for _, name := range names[1:] {
		at = at.AtName(name)
	}
	return at
}

func dotted(names []string) string { return strings.Join(names, ".") }

// describe spells a value that the platform holds, for a sentence in a
// warning. It is long enough for a certificate: of two that begin alike, what
// differs has to be seen.
func describe(value tftypes.Value) string {
	const longest = 2000
	spelled := spell(value)
	if runes := []rune(spelled); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return spelled
}

func spell(value tftypes.Value) string {
	if value.IsNull() {
		return "nothing"
	}
	switch typ := value.Type(); {
	case typ.Is(tftypes.String):
		return fmt.Sprintf("%q", text(value))
	case typ.Is(tftypes.Number):
		return number(value).Text('f', -1)
	case typ.Is(tftypes.Bool):
		var yes bool
		_ = value.As(&yes)
		return fmt.Sprint(yes)
	case isMapping(typ):
		return mappingKey(value).String()
	case typ.Is(tftypes.Object{}):
		var told []string
		for _, l := range leaves(value) {
			told = append(told, dotted(l.path)+" = "+spell(l.value))
		}
		return "{" + strings.Join(told, ", ") + "}"
	default:
		var told []string
		for _, element := range elements(value) {
			told = append(told, spell(element))
		}
		return "[" + strings.Join(told, ", ") + "]"
	}
}
