package provider

import (
	"context"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// server is the framework's server with a short way for the plan that asks for
// nothing, which in an estate at rest is every plan of every resource: where
// an adopted object's configuration says what its state says, the state is the
// plan. The framework would decode the object three times and walk it at every
// path to find that out, which is two fifths of what a plan over many pipes
// costs the provider.
//
// Only adopted objects take it. Whether an API key is due depends on the time.
type server struct {
	tfprotov6.ProviderServer
}

// NewServer returns what serves the provider, in the version given.
func NewServer(version string) func() tfprotov6.ProviderServer {
	return serverOf(New(version))
}

func serverOf(newProvider func() provider.Provider) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		return server{providerserver.NewProtocol6(newProvider())()}
	}
}

// adoptedTypes are the types of the adopted resources' values, by name.
var adoptedTypes = sync.OnceValue(func() map[string]tftypes.Type {
	types := map[string]tftypes.Type{}
	for name, r := range map[string]resource.Resource{
		"dataplatform_pipe":            newPipeResource(),
		"dataplatform_service_scaling": newServiceScalingResource(),
	} {
		var resp resource.SchemaResponse
		r.Schema(context.Background(), resource.SchemaRequest{}, &resp)
		types[name] = resp.Schema.Type().TerraformType(context.Background())
	}
	return types
})

// PlanResourceChange implements tfprotov6.ProviderServer.
func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if !asksForNothing(req) {
		return s.ProviderServer.PlanResourceChange(ctx, req)
	}
	return &tfprotov6.PlanResourceChangeResponse{
		PlannedState:    req.PriorState,
		PlannedPrivate:  req.PriorPrivate,
		PlannedIdentity: req.PriorIdentity,
	}, nil
}

// asksForNothing tells whether a plan is certain to be the state. What can't
// be read here is for the framework to say.
func asksForNothing(req *tfprotov6.PlanResourceChangeRequest) bool {
	typ, ok := adoptedTypes()[req.TypeName]
	if !ok || req.Config == nil || req.PriorState == nil || req.ProposedNewState == nil {
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
