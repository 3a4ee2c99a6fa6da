package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// What Terraform itself does with values, and what it holds a provider to. It
// follows internal/plans/objchange and node_resource_abstract_instance.go of
// Terraform 1.16, for schemas without blocks. Where a rule is broken Terraform
// blames the provider, and so do these.

// lifeSpell writes a value so that two values are written alike if and only if
// Terraform takes them for equal.
func lifeSpell(v tfvalue.Value) string {
	var b strings.Builder
	writeLifeSpell(&b, v)
	return b.String()
}

func writeLifeSpell(b *strings.Builder, v tfvalue.Value) {
	switch {
	case v.IsNull():
		b.WriteString("null")
	case !v.IsKnown():
		b.WriteByte('?')
	case v.Type().Is(tftypes.String):
		b.WriteString(strconv.Quote(v.Text()))
	case v.Type().Is(tftypes.Bool):
		fmt.Fprint(b, v.True())
	case v.Type().Is(tftypes.Number):
		if rat, _ := v.Number().Rat(nil); rat != nil {
			b.WriteString(rat.RatString())
		}
	case v.Type().Is(tftypes.Object{}):
		b.WriteByte('{')
		for name, member := range v.Members() {
			b.WriteString(name + ":")
			writeLifeSpell(b, member)
			b.WriteByte(' ')
		}
		b.WriteByte('}')
	default:
		var all []string
		for _, element := range v.Elements() {
			all = append(all, lifeSpell(element))
		}
		if v.Type().Is(tftypes.Set{}) {
			slices.Sort(all)
			all = slices.Compact(all)
		}
		b.WriteString("[" + strings.Join(all, ",") + "]")
	}
}

func lifeEqual(a, b tfvalue.Value) bool { return lifeSpell(a) == lifeSpell(b) }

// lifeSchema is a resource's schema as Terraform gets it.
type lifeSchema []*tfprotov6.SchemaAttribute

func (s lifeSchema) at(name string) *tfprotov6.SchemaAttribute {
	for _, attribute := range s {
		if attribute.Name == name {
			return attribute
		}
	}
	panic("no attribute " + name)
}

// proposed is the plan that Terraform proposes to the provider.
func (s lifeSchema) proposed(prior, config tfvalue.Value) tfvalue.Value {
	if config.IsNull() || !config.IsKnown() {
		return prior
	}
	return config.Map(func(name string, written tfvalue.Value) tfvalue.Value {
		attribute, was := s.at(name), prior.At(name)
		switch {
		case attribute.Computed && written.IsNull() && attribute.Optional && attribute.NestedType != nil && lifeSchema(attribute.NestedType.Attributes).wasConfigured(was):
			return written
		case attribute.Computed && written.IsNull():
			return was
		case attribute.NestedType == nil || written.IsNull() || !written.IsKnown():
			return written
		}
		nested := lifeSchema(attribute.NestedType.Attributes)
		if attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
			return nested.proposed(was, written)
		}
		elements, before := written.Elements(), was.Elements()
		for i, element := range elements {
			var from tfvalue.Value
			if attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeList {
				if i >= len(before) {
					continue
				}
				from = before[i]
			} else {
				from = tfvalue.Null(element.Type())
				at := slices.IndexFunc(before, func(p tfvalue.Value) bool { return nested.cameFrom(p, element) })
				if at >= 0 {
					from, before = before[at], slices.Delete(slices.Clone(before), at, at+1)
				}
			}
			elements[i] = nested.proposed(from, element)
		}
		return tfvalue.Collection(written.Type(), elements)
	})
}

// wasConfigured reports whether a value has something that only a
// configuration can have set.
func (s lifeSchema) wasConfigured(v tfvalue.Value) bool {
	for name, member := range v.Members() {
		attribute := s.at(name)
		if !member.IsNull() && !attribute.Computed {
			return true
		}
		if attribute.NestedType == nil {
			continue
		}
		nested := lifeSchema(attribute.NestedType.Attributes)
		if slices.ContainsFunc(append(member.Elements(), member), nested.wasConfigured) {
			return true
		}
	}
	return false
}

// cameFrom reports whether an element of the state can have come from one of
// the configuration.
func (s lifeSchema) cameFrom(prior, config tfvalue.Value) bool {
	for name, was := range prior.Members() {
		written := config.At(name)
		if !lifeEqual(was, written) && (!s.at(name).Computed || !written.IsNull()) {
			return false
		}
	}
	return true
}

// checkPlan is AssertPlanValid.
func (s lifeSchema) checkPlan(prior, config, planned tfvalue.Value, at string) []string {
	var faults []string
	for _, attribute := range s {
		name := attribute.Name
		faults = append(faults, checkPlanned(attribute, prior.At(name), config.At(name), planned.At(name), at+"."+name)...)
	}
	return faults
}

func checkPlanned(attribute *tfprotov6.SchemaAttribute, prior, config, planned tfvalue.Value, at string) []string {
	fault := func(format string, args ...any) []string {
		return []string{"Provider produced invalid plan: " + at + ": " + fmt.Sprintf(format, args...)}
	}
	switch {
	case lifeEqual(planned, config), lifeEqual(planned, prior) && !prior.IsNull() && !config.IsNull():
		return nil
	case attribute.WriteOnly && !planned.IsNull():
		return fault("planned value for write-only attribute is not null")
	case attribute.WriteOnly, attribute.Computed && !attribute.Optional, config.IsNull() && attribute.Computed:
		return nil
	case config.IsNull() && !planned.IsNull():
		return fault("planned value %s for a non-computed attribute", lifeSpell(planned))
	case attribute.NestedType == nil:
		return fault("planned value %s does not match config value %s nor prior value %s", lifeSpell(planned), lifeSpell(config), lifeSpell(prior))
	case planned.IsNull():
		return fault("planned for absence but config wants existence")
	case !planned.IsKnown():
		return fault("planned unknown for configured value")
	}
	nested := lifeSchema(attribute.NestedType.Attributes)
	if attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle {
		return nested.checkPlan(prior, config, planned, at)
	}
	if !config.IsKnown() {
		return fault("count in plan disagrees with unknown count in config")
	}
	count, want := len(planned.Elements()), len(config.Elements())
	if attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSet {
		// The length of a set is not known while an element isn't.
		if config.IsFullyKnown() && (count < want || planned.IsFullyKnown() && count != want) {
			return fault("count in plan (%d) disagrees with count in config (%d)", count, want)
		}
		return nil
	}
	if count != want {
		return fault("count in plan (%d) disagrees with count in config (%d)", count, want)
	}
	var faults []string
	before := prior.Elements()
	for i, element := range planned.Elements() {
		was := tfvalue.Null(element.Type())
		if i < len(before) {
			was = before[i]
		}
		faults = append(faults, nested.checkPlan(was, config.Elements()[i], element, fmt.Sprintf("%s[%d]", at, i))...)
	}
	return faults
}

// checkCompatible is AssertObjectCompatible: what is known in the plan has to
// be in the actual value.
func checkCompatible(planned, actual tfvalue.Value, at string) []string {
	fault := func(format string, args ...any) []string { return []string{at + ": " + fmt.Sprintf(format, args...)} }
	switch {
	case !planned.IsKnown():
		return nil
	case actual.IsNull() != planned.IsNull():
		return fault("was %s, but now %s", lifeSpell(planned), lifeSpell(actual))
	case planned.IsNull():
		return nil
	case !actual.IsKnown():
		return fault("was known, but now unknown")
	case planned.Type().Is(tftypes.Object{}):
		var faults []string
		for name, member := range planned.Members() {
			faults = append(faults, checkCompatible(member, actual.At(name), at+"."+name)...)
		}
		return faults
	case planned.Type().Is(tftypes.List{}):
		a, b := planned.Elements(), actual.Elements()
		if len(a) != len(b) {
			return fault("has %d elements, had %d", len(b), len(a))
		}
		var faults []string
		for i := range a {
			faults = append(faults, checkCompatible(a[i], b[i], fmt.Sprintf("%s[%d]", at, i))...)
		}
		return faults
	case planned.Type().Is(tftypes.Set{}):
		a, b := planned.Elements(), actual.Elements()
		fits := func(p, q tfvalue.Value) bool { return len(checkCompatible(p, q, "")) == 0 }
		for _, p := range a {
			if !slices.ContainsFunc(b, func(q tfvalue.Value) bool { return fits(p, q) }) {
				return fault("planned set element %s does not correlate with any element in actual", lifeSpell(p))
			}
		}
		for _, q := range b {
			if !slices.ContainsFunc(a, func(p tfvalue.Value) bool { return fits(p, q) }) {
				return fault("actual set element %s does not correlate with any element in plan", lifeSpell(q))
			}
		}
		if len(a) < len(b) {
			return fault("length changed from %d to %d", len(a), len(b))
		}
		return nil
	case !lifeEqual(planned, actual):
		return fault("was %s, but now %s", lifeSpell(planned), lifeSpell(actual))
	default:
		return nil
	}
}

// ignoreAll stands for ignore_changes = all.
const ignoreAll = "all"

// ignoring is a configuration after ignore_changes.
func (s lifeSchema) ignoring(paths []string, prior, config tfvalue.Value) tfvalue.Value {
	if prior.IsNull() || config.IsNull() {
		return config
	}
	if slices.Contains(paths, ignoreAll) {
		return s.configurable(prior)
	}
	ignored := config
	for _, path := range paths {
		names := strings.Split(path, ".")
		if _, ok := lifeReach(prior, names); !ok {
			continue
		}
		if written, ok := lifeReach(config, names); !ok || lifeEqual(written, prior.At(names...)) {
			continue
		}
		ignored = ignored.With(prior.At(names...), names...)
	}
	return ignored
}

// lifeReach reports whether there are objects all the way along a path.
func lifeReach(v tfvalue.Value, names []string) (tfvalue.Value, bool) {
	for _, name := range names {
		if v.IsNull() {
			return v, false
		}
		v = v.At(name)
	}
	return v, true
}

// configurable is a value without what only the provider sets.
func (s lifeSchema) configurable(v tfvalue.Value) tfvalue.Value {
	return v.Map(func(name string, member tfvalue.Value) tfvalue.Value {
		attribute := s.at(name)
		switch {
		case attribute.Computed && !attribute.Optional:
			return tfvalue.Null(member.Type())
		case attribute.NestedType == nil || member.IsNull():
			return member
		case attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			return lifeSchema(attribute.NestedType.Attributes).configurable(member)
		}
		elements := member.Elements()
		for i := range elements {
			elements[i] = lifeSchema(attribute.NestedType.Attributes).configurable(elements[i])
		}
		return tfvalue.Collection(member.Type(), elements)
	})
}

// writeOnlyFaults names write-only attributes that a provider returned.
func (s lifeSchema) writeOnlyFaults(v tfvalue.Value, at string) []string {
	var faults []string
	for name, member := range v.Members() {
		attribute := s.at(name)
		switch {
		case member.IsNull():
		case attribute.WriteOnly:
			faults = append(faults, "Provider produced invalid object: a value for the write-only attribute "+at+"."+name)
		case attribute.NestedType != nil && attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle:
			faults = append(faults, lifeSchema(attribute.NestedType.Attributes).writeOnlyFaults(member, at+"."+name)...)
		}
	}
	return faults
}
