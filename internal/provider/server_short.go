package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// In a plan over an estate at rest each object is read again, and found to be
// what the configuration asks for. The framework walks the object a dozen times
// for that, and works out the schema of each attribute by its path each time:
// two thirds of what a plan over many pipes costs the provider. The short ways
// do no more than what is asked, and leave to the framework whatever is not
// plain.

// ReadResource implements tfprotov6.ProviderServer. Private state, which an
// import or an update leaves, is the framework's to read, and an identity that
// isn't the state's is its to refuse.
func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	short, ok := s.short(req.TypeName)
	if !ok || len(req.Private) > 0 || req.CurrentState == nil {
		return answer(ctx, req, s.ProviderServer.ReadResource)
	}
	state, err := req.CurrentState.Unmarshal(short.stateType)
	if err != nil || state.IsNull() {
		return answer(ctx, req, s.ProviderServer.ReadResource)
	}
	object := short.newAdoption()
	object.connection = s.provider.connection
	if !sameIdentity(req.CurrentIdentity, object.identityValue(state, short.identityType)) {
		return answer(ctx, req, s.ProviderServer.ReadResource)
	}
	return read(ctx, short, object, state)
}

// sameIdentity tells whether the identity that Terraform keeps, if it keeps
// one, is that of the state.
func sameIdentity(kept *tfprotov6.ResourceIdentityData, identity tftypes.Value) bool {
	if kept == nil || kept.IdentityData == nil {
		return true
	}
	value, err := kept.IdentityData.Unmarshal(identity.Type())
	return err == nil && (value.IsNull() || value.Equal(identity))
}

func read(ctx context.Context, short adopted, object *adoption, state tftypes.Value) (*tfprotov6.ReadResourceResponse, error) {
	last := tfsdk.State{Schema: short.schema, Raw: state}
	resp := resource.ReadResponse{
		State:    last,
		Identity: &tfsdk.ResourceIdentity{Schema: short.identitySchema, Raw: tftypes.NewValue(short.identityType, nil)},
	}
	object.Read(ctx, resource.ReadRequest{State: last}, &resp)

	next, err := tfprotov6.NewDynamicValue(short.stateType, resp.State.Raw)
	if err != nil {
		return nil, err
	}
	identity, err := tfprotov6.NewDynamicValue(short.identityType, resp.Identity.Raw)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ReadResourceResponse{
		NewState:    &next,
		NewIdentity: &tfprotov6.ResourceIdentityData{IdentityData: &identity},
		Diagnostics: diagnostics(resp.Diagnostics),
	}, nil
}

// diagnostics are what a read has to say of an object as a whole: a read that
// complained of one attribute would lose which one. The test that compares
// with the framework would tell.
func diagnostics(all diag.Diagnostics) []*tfprotov6.Diagnostic {
	var said []*tfprotov6.Diagnostic
	for _, d := range all {
		severity := tfprotov6.DiagnosticSeverityWarning
		if d.Severity() == diag.SeverityError {
			severity = tfprotov6.DiagnosticSeverityError
		}
		said = append(said, &tfprotov6.Diagnostic{Severity: severity, Summary: d.Summary(), Detail: d.Detail()})
	}
	return said
}

// PlanResourceChange implements tfprotov6.ProviderServer. Where an adopted
// object's configuration says what its state says, the state is the plan.
func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	short, ok := s.short(req.TypeName)
	if !ok || !asksForNothing(req, short.stateType) {
		return answer(ctx, req, s.ProviderServer.PlanResourceChange)
	}
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState:    req.PriorState,
		PlannedPrivate:  req.PriorPrivate,
		PlannedIdentity: req.PriorIdentity,
	}, nil
}

// asksForNothing tells whether a plan is certain to be the state. What can't
// be read here is for the framework to say.
func asksForNothing(req *tfprotov6.PlanResourceChangeRequest, typ tftypes.Type) bool {
	if req.Config == nil || req.PriorState == nil || req.ProposedNewState == nil {
		return false
	}
	config, errConfig := req.Config.Unmarshal(typ)
	state, errState := req.PriorState.Unmarshal(typ)
	if errConfig != nil || errState != nil || config.IsNull() || state.IsNull() {
		return false
	}
	return !asks("", config, state) && sameCredentials(config, state)
}

// asks tells whether the configuration of an attribute asks for something that
// the state doesn't have, in meaning or in kind.
func asks(name string, config, state tftypes.Value) bool {
	switch {
	case config.IsNull() || isWriteOnly(name):
		return false
	case state.IsNull() || !config.IsKnown():
		return true
	case config.Type().Is(tftypes.Object{}):
		told := members(state)
		for name, member := range members(config) {
			if asks(name, member, told[name]) {
				return true
			}
		}
		return false
	case name == tableMappingsName:
		return !config.IsFullyKnown() || !sameWanted(config, state)
	default:
		return !same(name, config, state)
	}
}

func isWriteOnly(name string) bool { return strings.HasSuffix(name, "_wo") }

// sameCredentials tells whether nothing left the credentials either: they are
// the user's alone, and follow the configuration.
func sameCredentials(config, state tftypes.Value) bool {
	object, ok := config.Type().(tftypes.Object)
	if _, has := object.AttributeTypes[credentialsName]; !ok || !has {
		return true
	}
	return !asks("", at(state, credentialsName), at(config, credentialsName))
}
