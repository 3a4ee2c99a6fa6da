package provider

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// lifeUnknown is a value of a configuration that is known only after an apply.
type lifeUnknown struct{}

// lifeValue gives a configuration the type of a schema, with the digits that
// Terraform reads.
func lifeValue(v any, typ tftypes.Type) tfvalue.Value {
	switch v := v.(type) {
	case nil:
		return tfvalue.Null(typ)
	case lifeUnknown:
		return tfvalue.Unknown(typ)
	case object:
		members := map[string]tftypes.Value{}
		for name, memberType := range typ.(tftypes.Object).AttributeTypes {
			members[name] = lifeValue(v[name], memberType).Value
		}
		return tfvalue.Of(tftypes.NewValue(typ, members))
	case []any:
		var elements []tfvalue.Value
		var elementType tftypes.Type
		switch t := typ.(type) {
		case tftypes.List:
			elementType = t.ElementType
		case tftypes.Set:
			elementType = t.ElementType
		}
		seen := map[string]bool{}
		for _, element := range v {
			next := lifeValue(element, elementType)
			if key := lifeSpell(next); typ.Is(tftypes.Set{}) && next.IsFullyKnown() {
				if seen[key] {
					continue
				}
				seen[key] = true
			}
			elements = append(elements, next)
		}
		return tfvalue.Collection(typ, elements)
	case bool:
		return tfvalue.Of(tftypes.NewValue(typ, v))
	case string:
		if typ.Is(tftypes.String) {
			return tfvalue.String(v)
		}
	}
	number, _, err := big.ParseFloat(fmt.Sprint(v), 10, 512, big.ToNearestEven)
	if err != nil {
		panic(err)
	}
	return tfvalue.Of(tftypes.NewValue(typ, number))
}

// lifeType is what a test needs to know of a type of resource.
type lifeType struct {
	name   string
	typ    tftypes.Object
	schema lifeSchema
}

var lifeSchemas = sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
	return serverOf(newProvider("test")).schemas()
})

func lifeTypeOf(name string) lifeType {
	schema := lifeSchemas().ResourceSchemas[name]
	return lifeType{name, schema.ValueType().(tftypes.Object), schema.Block.Attributes}
}

// lifeSubject is one resource block and its state.
type lifeSubject struct {
	lifeType
	// known is the configuration; unknown, if not nil, is what is known of it
	// until the apply.
	known, unknown object
	ignore         []string

	state   tfvalue.Value
	private []byte
}

// lifePlan is a plan for one resource.
type lifePlan struct {
	action         string // "create", "update", "replace", "none", "delete"; "error" if there is none
	prior, planned tfvalue.Value
	priorPrivate   []byte
	private        []byte
	imported       bool
	// replaced is the state that a replacement destroys, with its private part; the zero
	// Value if it is none. Prior is null then.
	replaced        tfvalue.Value
	replacedPrivate []byte
}

// lifeCommand is one command that a user gives.
type lifeCommand struct {
	name string // "plan", "apply", "refresh", "destroy", "forget"
	// noRefresh plans without a refresh, imports takes in what is not in state.
	noRefresh, imports bool
	// between, if not nil, happens between plan and apply.
	between func()
}

// lifeOutcome is what a command came to.
type lifeOutcome struct {
	diagnoses
	// blames are messages with which Terraform blames the provider.
	blames []string
	plans  []lifePlan
	// applied tells that the plan was carried out, in part at least.
	applied bool
	// planned is how many requests had been made when the plan was done.
	planned int
	// plannedWarnings are those of the plan alone.
	plannedWarnings []string
}

func (o *lifeOutcome) failed() bool { return len(o.errors)+len(o.blames) > 0 }

func (o *lifeOutcome) diagnose(all []*tfprotov6.Diagnostic) bool {
	d := diagnosed(all)
	o.diagnoses = o.and(d)
	for _, text := range d.errors {
		if providersFault.MatchString(text) {
			o.blames = append(o.blames, text)
		}
	}
	return len(d.errors) == 0
}

func (o *lifeOutcome) blame(faults []string, summary string) bool {
	for _, fault := range faults {
		o.blames = append(o.blames, summary+fault)
	}
	return len(faults) == 0
}

// lifeDriver plays Terraform's part over the protocol, with a provider of its
// own for each plan and each apply, as Terraform starts one.
type lifeDriver struct {
	t        testing.TB
	platform *mockplatform.Server
	settings object
	subjects []*lifeSubject
}

func (d *lifeDriver) start() tfprotov6.ProviderServer {
	s := serverOf(&dataplatformProvider{version: "test", now: time.Now})
	s.schemas = lifeSchemas
	config := lifeValue(d.settings, lifeSchemas().Provider.ValueType())
	resp, err := s.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{Config: lifeDynamic(config)})
	if err != nil || len(resp.Diagnostics) > 0 {
		panic(fmt.Sprint(err, resp))
	}
	return s
}

func lifeDynamic(value tfvalue.Value) *tfprotov6.DynamicValue {
	dynamic, err := tfprotov6.NewDynamicValue(value.Type(), value.Value)
	if err != nil {
		panic(err)
	}
	return &dynamic
}

func (s *lifeSubject) read(dynamic *tfprotov6.DynamicValue) tfvalue.Value {
	if dynamic == nil {
		return tfvalue.Null(s.typ)
	}
	value, err := dynamic.Unmarshal(s.typ)
	if err != nil {
		panic(err)
	}
	return tfvalue.Of(value)
}

// lifeStored is a state as the state file has it: in JSON, a fraction is read
// back with more digits than it came with.
func lifeStored(v tfvalue.Value) tfvalue.Value {
	switch {
	case v.IsNull() || !v.IsKnown():
		return v
	case v.Type().Is(tftypes.Number):
		return lifeValue(v.Number().Text('f', -1), v.Type())
	case v.Type().Is(tftypes.Object{}):
		return v.Map(func(_ string, member tfvalue.Value) tfvalue.Value { return lifeStored(member) })
	case v.Type().Is(tftypes.List{}), v.Type().Is(tftypes.Set{}):
		elements := v.Elements()
		for i := range elements {
			elements[i] = lifeStored(elements[i])
		}
		return tfvalue.Collection(v.Type(), elements)
	default:
		return v
	}
}

// run carries out a command.
func (d *lifeDriver) run(c lifeCommand) *lifeOutcome {
	o := d.runUnstored(c)
	for _, s := range d.subjects {
		s.state = lifeStored(s.state)
	}
	return o
}

func (d *lifeDriver) runUnstored(c lifeCommand) *lifeOutcome {
	o := &lifeOutcome{}
	switch c.name {
	case "forget":
		for _, s := range d.subjects {
			s.state, s.private = tfvalue.Null(s.typ), nil
		}
		return o
	case "refresh":
		provider := d.start()
		for _, s := range d.subjects {
			if state, private, ok := d.refresh(provider, s, s.state, s.private, o); ok {
				s.state, s.private = state, private
			}
		}
		return o
	}
	d.plan(c, o)
	o.planned = len(d.platform.Requests())
	o.plannedWarnings = slices.Clone(o.warnings)
	if c.name == "plan" || o.failed() {
		return o
	}
	if c.between != nil {
		c.between()
	}
	d.apply(o)
	return o
}

// refresh reads one resource, and reports whether that went well.
func (d *lifeDriver) refresh(provider tfprotov6.ProviderServer, s *lifeSubject, state tfvalue.Value, private []byte, o *lifeOutcome) (tfvalue.Value, []byte, bool) {
	if state.IsNull() {
		return state, private, true
	}
	resp, err := provider.ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{TypeName: s.name, CurrentState: lifeDynamic(state), Private: private})
	if err != nil {
		o.blame([]string{err.Error()}, "ReadResource: ")
		return state, private, false
	}
	if !o.diagnose(resp.Diagnostics) {
		return state, private, false
	}
	next := s.read(resp.NewState)
	if !next.IsFullyKnown() {
		o.blame([]string{lifeSpell(next)}, "Provider produced invalid object during refresh: ")
	}
	o.blame(s.schema.writeOnlyFaults(next, ""), "")
	return next, resp.Private, true
}

func (d *lifeDriver) importing(provider tfprotov6.ProviderServer, s *lifeSubject, o *lifeOutcome) (tfvalue.Value, []byte, bool) {
	null := tfvalue.Null(s.typ)
	id := s.known["service_id"].(string)
	if pipe, ok := s.known["pipe_id"]; ok {
		id += "/" + pipe.(string)
	}
	resp, err := provider.ImportResourceState(context.Background(), &tfprotov6.ImportResourceStateRequest{TypeName: s.name, ID: id})
	if err != nil {
		o.blame([]string{err.Error()}, "ImportResourceState: ")
		return null, nil, false
	}
	if !o.diagnose(resp.Diagnostics) {
		return null, nil, false
	}
	state, private, ok := d.refresh(provider, s, s.read(resp.ImportedResources[0].State), resp.ImportedResources[0].Private, o)
	if ok && state.IsNull() {
		o.errors = append(o.errors, "Cannot import non-existent remote object")
		return null, nil, false
	}
	return state, private, ok
}

func (d *lifeDriver) plan(c lifeCommand, o *lifeOutcome) {
	provider := d.start()
	for _, s := range d.subjects {
		p := lifePlan{action: "error", prior: s.state, priorPrivate: s.private}
		ok := true
		config := s.known
		if s.unknown != nil {
			config = s.unknown
		}
		switch {
		case !d.validate(provider, s, lifeValue(config, s.typ), o):
			ok = false
		case c.imports && s.state.IsNull():
			p.imported = true
			p.prior, p.priorPrivate, ok = d.importing(provider, s, o)
		case !c.noRefresh:
			p.prior, p.priorPrivate, ok = d.refresh(provider, s, s.state, s.private, o)
		}
		switch {
		case !ok:
		case c.name == "destroy":
			d.planDestroy(provider, s, &p, o)
		default:
			d.change(provider, s, lifeValue(config, s.typ), &p, o)
		}
		o.plans = append(o.plans, p)
	}
}

func (d *lifeDriver) planDestroy(provider tfprotov6.ProviderServer, s *lifeSubject, p *lifePlan, o *lifeOutcome) {
	if p.prior.IsNull() {
		p.action = "none"
		return
	}
	null := lifeDynamic(tfvalue.Null(s.typ))
	resp, err := provider.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.name, PriorState: lifeDynamic(p.prior), ProposedNewState: null, Config: null, PriorPrivate: p.priorPrivate,
	})
	if err != nil {
		o.blame([]string{err.Error()}, "PlanResourceChange: ")
		return
	}
	if !o.diagnose(resp.Diagnostics) {
		return
	}
	p.planned, p.private, p.action = s.read(resp.PlannedState), resp.PlannedPrivate, "delete"
	if !p.planned.IsNull() {
		o.blame([]string{"a destroy plans an object"}, "Provider produced invalid plan: ")
	}
}

func (d *lifeDriver) validate(provider tfprotov6.ProviderServer, s *lifeSubject, config tfvalue.Value, o *lifeOutcome) bool {
	resp, err := provider.ValidateResourceConfig(context.Background(), &tfprotov6.ValidateResourceConfigRequest{TypeName: s.name, Config: lifeDynamic(config), ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true}})
	if err != nil {
		return o.blame([]string{err.Error()}, "ValidateResourceConfig: ")
	}
	return o.diagnose(resp.Diagnostics)
}

// change plans a change from p.prior.
func (d *lifeDriver) change(provider tfprotov6.ProviderServer, s *lifeSubject, original tfvalue.Value, p *lifePlan, o *lifeOutcome) {
	p.action = "error"
	config := s.schema.ignoring(s.ignore, p.prior, original)
	resp, err := provider.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.name, PriorState: lifeDynamic(p.prior), Config: lifeDynamic(config), PriorPrivate: p.priorPrivate,
		ProposedNewState: lifeDynamic(s.schema.proposed(p.prior, config)),
	})
	if err != nil {
		o.blame([]string{err.Error()}, "PlanResourceChange: ")
		return
	}
	if !o.diagnose(resp.Diagnostics) {
		return
	}
	p.planned, p.private = s.read(resp.PlannedState), resp.PlannedPrivate
	faults := append(s.schema.writeOnlyFaults(p.planned, ""), s.schema.checkPlan(p.prior, config, p.planned, "")...)
	if !o.blame(faults, "") {
		return
	}
	switch {
	case p.prior.IsNull():
		p.action = "create"
	case len(resp.RequiresReplace) > 0:
		d.replace(provider, s, original, p, o)
	case lifeEqual(p.prior, p.planned):
		p.action = "none"
	default:
		p.action = "update"
	}
}

// replace plans the new object, from the configuration without ignore_changes. Of what
// this plan says, Terraform shows errors alone.
func (d *lifeDriver) replace(provider tfprotov6.ProviderServer, s *lifeSubject, config tfvalue.Value, p *lifePlan, o *lifeOutcome) {
	p.replaced, p.replacedPrivate = p.prior, p.private
	p.prior, p.priorPrivate = tfvalue.Null(s.typ), nil
	resp, err := provider.PlanResourceChange(context.Background(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.name, PriorState: lifeDynamic(p.prior), Config: lifeDynamic(config), PriorPrivate: p.private,
		ProposedNewState: lifeDynamic(s.schema.proposed(p.prior, config)),
	})
	if err != nil {
		o.blame([]string{err.Error()}, "PlanResourceChange: ")
		return
	}
	if failed := diagnosed(resp.Diagnostics); len(failed.errors) > 0 {
		o.diagnose(resp.Diagnostics)
		return
	}
	p.planned, p.private = s.read(resp.PlannedState), resp.PlannedPrivate
	faults := append(s.schema.writeOnlyFaults(p.planned, ""), s.schema.checkPlan(p.prior, config, p.planned, "")...)
	if o.blame(faults, "") {
		p.action = "replace"
	}
}

func (d *lifeDriver) apply(o *lifeOutcome) {
	provider := d.start()
	o.applied = true
	for i, s := range d.subjects {
		p := &o.plans[i]
		s.state, s.private = p.prior, p.priorPrivate // what was refreshed or imported
		switch p.action {
		case "none":
		case "replace":
			s.state, s.private = p.replaced, p.replacedPrivate
			d.applyDestroy(provider, s, &lifePlan{prior: p.replaced, private: p.replacedPrivate}, o)
			if s.state.IsNull() {
				d.carryOut(provider, s, p, o)
			}
		case "delete":
			d.applyDestroy(provider, s, p, o)
		default:
			d.carryOut(provider, s, p, o)
		}
	}
}

func (d *lifeDriver) applyDestroy(provider tfprotov6.ProviderServer, s *lifeSubject, p *lifePlan, o *lifeOutcome) {
	null := lifeDynamic(tfvalue.Null(s.typ))
	resp, err := provider.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: s.name, PriorState: lifeDynamic(p.prior), PlannedState: null, Config: null, PlannedPrivate: p.private,
	})
	if err != nil {
		o.blame([]string{err.Error()}, "ApplyResourceChange: ")
		return
	}
	if o.diagnose(resp.Diagnostics) {
		if s.state, s.private = s.read(resp.NewState), nil; !s.state.IsNull() {
			o.blame([]string{"an object is left after a destroy"}, "Provider returned invalid result object after apply: ")
		}
	}
}

// carryOut plans a change again, as Terraform does, and applies it.
func (d *lifeDriver) carryOut(provider tfprotov6.ProviderServer, s *lifeSubject, p *lifePlan, o *lifeOutcome) {
	config := lifeValue(s.known, s.typ)
	if !d.validate(provider, s, config, o) {
		return
	}
	again := *p
	d.change(provider, s, config, &again, o)
	if again.action == "error" {
		return
	}
	var faults []string
	if again.action != p.action && (p.action != "update" || again.action != "none") && (p.action != "replace" || again.action != "create") {
		faults = append(faults, "the planned action changed from "+p.action+" to "+again.action)
	}
	if !o.blame(append(faults, checkCompatible(p.planned, again.planned, "")...), "Provider produced inconsistent final plan: ") {
		return
	}
	p.planned = again.planned
	if again.action == "none" {
		return
	}
	resp, err := provider.ApplyResourceChange(context.Background(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: s.name, PriorState: lifeDynamic(p.prior), PlannedState: lifeDynamic(again.planned), Config: lifeDynamic(config), PlannedPrivate: again.private,
	})
	if err != nil {
		o.blame([]string{err.Error()}, "ApplyResourceChange: ")
		return
	}
	succeeded := o.diagnose(resp.Diagnostics)
	state := s.read(resp.NewState)
	o.blame(s.schema.writeOnlyFaults(state, ""), "")
	if !state.IsFullyKnown() {
		o.blame([]string{lifeSpell(state)}, "Provider returned invalid result object after apply: unknown values in ")
		return
	}
	if succeeded {
		o.blame(checkCompatible(again.planned, state, ""), "Provider produced inconsistent result after apply: ")
	}
	if state.IsNull() {
		if succeeded {
			o.blame([]string{"null"}, "Provider returned invalid result object after apply: ")
		}
		return // Terraform keeps the prior state
	}
	s.state, s.private = state, resp.Private
}

// summaries are the first sentences of diagnostics.
func summaries(texts []string) []string {
	var all []string
	for _, text := range texts {
		summary, _, _ := strings.Cut(text, ": ")
		all = append(all, summary)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
