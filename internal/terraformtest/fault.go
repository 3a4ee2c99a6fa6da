package terraformtest

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// The summaries of what Terraform reports as a bug of the provider.
const (
	invalidPlan        = "Provider produced invalid plan"
	inconsistentPlan   = "Provider produced inconsistent final plan"
	inconsistentResult = "Provider produced inconsistent result after apply"
	invalidResult      = "Provider returned invalid result object after apply"
	invalidObject      = "Provider produced invalid object"
)

// Fault is a bug of the provider that Terraform reports, under the same summary and, if it
// is about a part of the object, at the same path. The text is ours.
type Fault struct{ Summary, Path, Text string }

func (f Fault) String() string { return f.Summary + ": " + f.Path + " " + f.Text }

// faults are those of one check.
type faults struct {
	summary string
	found   []Fault
}

func (f *faults) add(at cty.Path, format string, args ...any) {
	f.found = append(f.found, Fault{f.summary, formatPath(at), fmt.Sprintf(format, args...)})
}

// presence reports whether both of two objects exist. It is a fault if only one does.
func (f *faults) presence(wanted, got cty.Value) bool {
	if wanted.IsNull() != got.IsNull() {
		f.add(nil, "should be null: %t, and is: %t", wanted.IsNull(), got.IsNull())
	}
	return !wanted.IsNull() && !got.IsNull()
}

// writeOnly finds values of write-only attributes, which no plan and no state may have.
func (f *faults) writeOnly(all attributes, object cty.Value) {
	for _, path := range all.any(object, func(a *tfprotov6.SchemaAttribute) bool { return a.WriteOnly }) {
		f.add(path, "is write-only, and has a value")
	}
}

// plan finds what no plan may have. Each attribute has to be as configured; or as in the prior state,
// if both have a value; or anything, if it is computed and the configuration does not set it.
func (f *faults) plan(all attributes, prior, config, planned cty.Value, at cty.Path) {
	for _, a := range all {
		here := at.GetAttr(a.Name)
		was, written, will := member(prior, a), member(config, a), member(planned, a)
		kept := !was.IsNull() && !written.IsNull() && same(will, was)
		switch {
		case same(will, written), kept, a.Computed && (!a.Optional || written.IsNull()):
		case a.WriteOnly:
			if !will.IsNull() {
				f.add(here, "is write-only, and is planned")
			}
		case written.IsNull():
			f.add(here, "is planned, although it is neither set nor computed")
		case a.NestedType == nil:
			f.add(here, "is planned as %#v, but is set to %#v", will, written)
		default:
			f.planNested(a.NestedType, was, written, will, here)
		}
	}
}

func (f *faults) planNested(nested *tfprotov6.SchemaObject, was, written, will cty.Value, at cty.Path) {
	members := attributes(nested.Attributes)
	switch {
	case will.IsNull():
		f.add(at, "is set, but planned as null")
	case !will.IsKnown():
		f.add(at, "is set, but planned as unknown")
	case nested.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
		f.plan(members, was, written, will, at)
	case nested.Nesting == tfprotov6.SchemaObjectNestingModeSet:
		// Elements have no counterparts. Only their number can be compared.
		if possible := will.Length().Range().Includes(written.Length()); possible.IsKnown() && possible.False() {
			f.add(at, "has another number of elements in the plan")
		}
	case !written.IsKnown() || will.LengthInt() != written.LengthInt():
		f.add(at, "has another number of elements in the plan")
	default:
		for key, element := range will.Elements() {
			before := cty.NullVal(element.Type())
			if !was.IsNull() && was.HasIndex(key).True() {
				before = was.Index(key)
			}
			if !written.HasIndex(key).True() {
				f.add(at, "has another key in the plan")
				continue
			}
			next := at.Index(key)
			if nested.Nesting == tfprotov6.SchemaObjectNestingModeMap {
				next = at.GetAttr(key.AsString()) // as Terraform reports it
			}
			f.plan(members, before, written.Index(key), element, next)
		}
	}
}

// outcome finds what differs from what was planned.
func (f *faults) outcome(planned, actual cty.Value) {
	if f.presence(planned, actual) {
		f.differ(planned, actual, nil)
	}
}

// differ finds known values that have changed.
func (f *faults) differ(planned, actual cty.Value, at cty.Path) {
	typ := planned.Type()
	switch {
	case !planned.IsKnown():
	case planned.IsNull() && actual.IsNull():
	case planned.IsNull() || actual.IsNull():
		f.add(at, "was %#v, and is %#v", planned, actual)
	case !actual.IsKnown():
		f.add(at, "was known, and is unknown")
	case typ.IsPrimitiveType():
		if actual.Equals(planned).False() {
			f.add(at, "was %#v, and is %#v", planned, actual)
		}
	case typ.IsObjectType():
		for name := range typ.AttributeTypes() {
			f.differ(planned.GetAttr(name), actual.GetAttr(name), at.GetAttr(name))
		}
	case typ.IsSetType():
		f.differInSet(planned, actual, at)
	default:
		for key, element := range planned.Elements() {
			if actual.HasIndex(key).True() {
				f.differ(element, actual.Index(key), at.Index(key))
			} else {
				f.add(at, "has lost element %#v", key)
			}
		}
		for key := range actual.Elements() {
			if planned.HasIndex(key).False() {
				f.add(at, "has a new element %#v", key)
			}
		}
	}
}

// differInSet requires that each planned element can have become one of the actual elements, that each
// of these can come from a planned one, and that there are no more than planned.
func (f *faults) differInSet(planned, actual cty.Value, at cty.Path) {
	is := actual.AsValueSlice()
	explained, lost := make([]bool, len(is)), false
	for _, element := range planned.AsValueSlice() {
		left := false
		for i := range is {
			pair := faults{}
			pair.differ(element, is[i], nil)
			left, explained[i] = left || len(pair.found) == 0, explained[i] || len(pair.found) == 0
		}
		if !left {
			f.add(at, "has lost element %#v", element)
			lost = true
		}
	}
	for i := range is {
		if !explained[i] && !lost {
			f.add(at, "has a new element %#v", is[i])
		}
	}
	if len(is) > planned.LengthInt() {
		f.add(at, "has more elements than planned")
	}
}
