package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// server is the framework's server, with short ways for what a plan asks of
// every object of an estate at rest (server_short.go), and without what the
// framework keeps of each call (server_call.go).
type server struct {
	tfprotov6.ProviderServer
	provider *dataplatformProvider
	// longWays leaves everything to the framework.
	longWays bool
}

// NewServer returns what serves the provider, in the version given. Where the
// framework's logs are read everything goes through it: they would miss the
// steps that it doesn't take.
func NewServer(version string, frameworkLogged bool) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		s := serverOf(newProvider(version))
		s.longWays = frameworkLogged
		return s
	}
}

func serverOf(p *dataplatformProvider) server {
	return server{ProviderServer: providerserver.NewProtocol6(p)(), provider: p}
}

// short returns what the short ways know of a resource that takes them.
func (s server) short(typeName string) (adopted, bool) {
	known, ok := adoptedResources()[typeName]
	return known, ok && !s.longWays
}

// adopted is what the short ways know of a resource without the framework.
type adopted struct {
	newAdoption    func() *adoption
	schema         schema.Schema
	identitySchema identityschema.Schema
	// What the two schemas describe.
	stateType, identityType tftypes.Type
}

// adoptedResources are the resources that take the short ways. An API key
// takes none: what it reads and whether it is due is not the platform's to say.
var adoptedResources = sync.OnceValue(func() map[string]adopted {
	ctx := context.Background()
	all := map[string]adopted{}
	for name, newResource := range map[string]func() resource.Resource{
		"dataplatform_pipe":            newPipeResource,
		"dataplatform_service_scaling": newServiceScalingResource,
	} {
		newAdoption := func() *adoption { return newResource().(interface{ itself() *adoption }).itself() }
		var object resource.SchemaResponse
		var identity resource.IdentitySchemaResponse
		newResource().Schema(ctx, resource.SchemaRequest{}, &object)
		newAdoption().IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &identity)
		all[name] = adopted{
			newAdoption:    newAdoption,
			schema:         object.Schema,
			identitySchema: identity.IdentitySchema,
			stateType:      object.Schema.Type().TerraformType(ctx),
			identityType:   identity.IdentitySchema.Type().TerraformType(ctx),
		}
	}
	return all
})
