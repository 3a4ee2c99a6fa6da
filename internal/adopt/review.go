package adopt

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// The plan is the contract: an apply sends only what its plan showed.

// Review is a change that is reviewed: by the engine, and then by the kind, which reports to Diags.
type Review struct {
	Change
	Content
	// Label names the object.
	Label string
	Diags *diag.Diagnostics

	// wanted are the managed leaves as they have to be after the apply: as planned where the plan
	// changes them, and otherwise as the platform has them.
	wanted   tfvalue.Value
	observed // by the last read
	// overwritten is what the kind says that is overwritten.
	overwritten []string
}

// Found is the object as the read before the change has it, null if it could not be read.
func (r Review) Found() tfvalue.Value { return r.remote }

// review compares a change with the object after a read. If a change is rejected, its warnings are
// dropped, and so are the engine's errors if the kind has some of its own.
func (e *Engine) review(change Change, now observed, diags *diag.Diagnostics) Review {
	var byKind, byEngine diag.Diagnostics
	r := Review{Change: change, Label: e.label(change.Plan, now.remote), Diags: &byKind, observed: now}
	r.wanted = e.wantedAfter(change, now.remote)
	r.Leaves = e.Rules.Changes(r.wanted, now.remote)
	r.Edit = e.decideEdit(&r, &byEngine)
	r.Carried = tfvalue.Null(e.objectType)
	if !r.IsEmpty() {
		r.Carried = e.carried(r, r.Leaves, r.remote)
	}
	e.checkForms(r, &byEngine)
	r.overwritten = e.Check(r)
	switch {
	case byKind.HasError():
		diags.Append(byKind.Errors()...)
	case byEngine.HasError():
		diags.Append(byEngine.Errors()...)
	default:
		diags.Append(byKind...)
	}
	return r
}

// wantedAfter returns what the managed leaves have to be after a change: as planned if the plan changes them, and
// otherwise as they are now. In an adoption, which has no prior state, every leaf counts as changed.
func (e *Engine) wantedAfter(change Change, remote tfvalue.Value) tfvalue.Value {
	owned := e.owned(change)
	changed := owned
	if !change.Prior.IsNull() {
		changed = e.Rules.Changes(owned, change.Prior)
	}
	wanted := changed
	for _, leaf := range owned.Leaves() {
		if changed.At(leaf.Path...).IsNull() {
			wanted = wanted.With(remote.At(leaf.Path...), leaf.Path...)
		}
	}
	return wanted
}

// carried returns the configured leaves that a PATCH of others carries, as the object has them: those that are managed and that
// an update has once reset, and those without which the platform does not accept what is sent. A list with a name in another
// Unicode form is never sent: see checkForms.
func (e *Engine) carried(r Review, send, object tfvalue.Value) tfvalue.Value {
	var companions []tfvalue.Path
	if e.Companions != nil {
		companions = e.Companions(send)
	}
	if len(companions)+len(r.memory.Reset) == 0 {
		return tfvalue.Null(e.objectType)
	}
	carried := r.Config.WithoutAll(e.Rules.NotInJSON)
	for _, leaf := range carried.Leaves() {
		is, isCompanion := object.At(leaf.Path...), slices.ContainsFunc(companions, func(at tfvalue.Path) bool { return slices.Equal(at, leaf.Path) })
		if !isCompanion && !e.isToBeKept(r, leaf.Path, send) || !send.At(leaf.Path...).IsNull() || len(is.OtherForms()) > 0 {
			is = tfvalue.Null(is.Type())
		}
		carried = carried.With(is, leaf.Path...)
	}
	return carried
}

// isToBeKept reports whether an update has once reset a managed leaf. One of a source is sent only beside another one of that
// source: a platform may reject it without the credentials, which are sent only then.
func (e *Engine) isToBeKept(r Review, at tfvalue.Path, send tfvalue.Value) bool {
	isOfSource := slices.Contains(e.Rules.Alternatives, at[0])
	return slices.Contains(r.memory.Reset, at.String()) && !r.wanted.At(at...).IsNull() && (!isOfSource || send.At(at[:2]...).AnyLeaf())
}

// decideEdit decides which mappings a change removes and adds, and takes them out of the leaves to be sent. It decides
// nothing while the planned set is not fully known, or if the platform could not be read.
func (e *Engine) decideEdit(r *Review, diags *diag.Diagnostics) tfvalue.Edit {
	planned, prior, now := e.mappingsOf(r.wanted), e.mappingsOf(r.Prior), e.mappingsOf(r.remote)
	if e.mappingsOf(r.Leaves).IsNull() || !planned.IsFullyKnown() || r.remote.IsNull() {
		return tfvalue.Edit{}
	}
	r.Leaves = r.Leaves.Without(e.Mappings...)
	if unclear := e.unknownIn(r.returned, prior.IsEmpty() || planned.IsEmpty()); unclear != nil {
		diags.AddError("Unknown table mappings of "+r.Label,
			fmt.Sprintf("%s Nothing was sent. Try again, or remove %s from the configuration.", conn.Detail(unclear), e.Mappings))
		return tfvalue.Edit{}
	}
	if r.Prior.IsNull() {
		e.checkAdoptedSet(*r, planned, diags)
		prior = now
	}
	key := e.key()
	change := key.Difference(planned, prior)
	conflicts, isDone := key.Changed(change.All(), prior, now), len(key.Changed(change.All(), planned, now)) == 0
	if len(conflicts) > 0 && !isDone {
		diags.AddError("Table mappings changed since the plan: "+r.Label, fmt.Sprintf("The plan changes these table mappings, or others of the same "+
			"source or target, and they are no longer what it was made from:\n\n%s\n\nNothing was sent. Plan again.", key.List(conflicts)))
		return tfvalue.Edit{}
	}
	want := key.After(now, change)
	r.wanted = r.wanted.With(want, e.Mappings...)
	return key.Difference(want, now)
}

// unknownIn says why it is not known after a response which table mappings there are, nil if it is. The response may
// omit the object around them, or all of them, which may then be empty; or a mapping may lack a name,
// so that it may be any other.
func (e *Engine) unknownIn(now tfvalue.Value, mayBeEmpty bool) error {
	var omitted tfvalue.Path
	if parent := e.Mappings[:len(e.Mappings)-1]; !now.At(parent...).IsObject() {
		omitted = parent
	} else if !mayBeEmpty && e.mappingsOf(now).IsNull() {
		omitted = e.Mappings
	}
	if omitted != nil {
		return fmt.Errorf("the API did not return %s, so it is not known which table mappings the %s has", omitted, e.Noun)
	}
	if unnamed := e.key().Unnamed(e.mappingsOf(now)); len(unnamed) > 0 {
		return fmt.Errorf("the API returned a table mapping that does not have all of %s, and may be any of those in the configuration:\n\n%s\n\n"+
			"Correct it in the platform's console", words.Enumerate(e.key().Members), e.key().List(unnamed))
	}
	return nil
}

// checkAdoptedSet reports the elements on the platform that an adoption would remove or change.
// Terraform plans a creation again in the apply, and hands over nothing of the first plan: the apply
// cannot know which of them that plan has shown.
func (e *Engine) checkAdoptedSet(r Review, planned tfvalue.Value, diags *diag.Diagnostics) {
	key := e.key()
	remove := key.Difference(planned, e.mappingsOf(r.remote)).Remove
	if len(remove) == 0 {
		return
	}
	wanted := maps.Collect(planned.Members())
	lines := make([]string, len(remove))
	for i, element := range remove {
		lines[i] = "  - " + key.Label(element) + ": not in the configuration"
		if want, configured := wanted[key.Of(element)]; configured {
			lines[i] = fmt.Sprintf("  - %s: another %s", key.Label(element), words.Enumerate(tfvalue.Differing(want, element)))
		}
	}
	diags.AddError("Other table mappings exist: "+r.Label,
		fmt.Sprintf("Creating this resource neither removes nor changes a table mapping, because its plan cannot show that. "+
			"The configuration differs from these on the platform:\n\n%s\n\nNothing was sent. If the %s\n"+
			"  - is in the state at another address, add a moved block;\n"+
			"  - is to be replaced with itself (-replace, terraform taint), plan without that, because it is adopted again as it is;\n"+
			"  - takes the place of another one, remove that from the state with terraform state rm, and import this one;\n"+
			"  - is in no state, import it: the plan of an import shows each change.\n\n"+
			"import {\n  to = dataplatform_%s.NAME\n  id = %q\n}",
			strings.Join(lines, "\n"), e.Noun, e.Name, strings.Join(e.identity(r.Plan).values(), "/")))
}

// checkForms rejects a change to a list, a set or an element that has a name in another Unicode form
// on the platform, or one that could not be read in full. To send it again would replace that name, and a
// column that is excluded in another form is not excluded. The plan of an update compares with the state, in
// which Terraform has normalized every name, so it is the apply that finds another form.
func (e *Engine) checkForms(r Review, diags *diag.Diagnostics) {
	found := func(value tfvalue.Value, of string) (names []string) {
		for _, name := range value.OtherForms() {
			names = append(names, strconv.Quote(name)+of)
		}
		return names
	}
	report := func(at tfvalue.Path, names []string) {
		if len(names) > 0 {
			diags.AddError(fmt.Sprintf("A name cannot be sent in %s of %s", at, r.Label),
				fmt.Sprintf("The platform has %s in another Unicode form than Terraform, which normalizes every text, or as bytes that are not valid Unicode. "+
					"To a database these are different names, and this change would replace one by the other. "+
					"Nothing was sent. Make the change in the platform's console.", words.Enumerate(names)))
		}
	}
	for _, leaf := range r.Leaves.Leaves() {
		if now := r.returned.At(leaf.Path...); now.IsCollection() {
			report(leaf.Path, found(now, ""))
		}
	}
	var names []string
	for _, element := range e.key().Among(e.mappingsOf(r.returned).Elements(), r.Edit.All()) {
		names = append(names, found(element, " (of "+e.key().Label(element)+")")...)
	}
	report(e.Mappings, names)
}
