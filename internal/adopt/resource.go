package adopt

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
)

// Resource is the framework's resource of a kind: its schemas, and what ends with an error, such as
// the upgrade of a state of another version. Engine handles the rest.
type Resource struct {
	unhandled
	Kind *Kind
}

// unhandled has the methods that the framework requires and never calls.
type unhandled interface{ resource.Resource }

var _ resource.ResourceWithIdentity = (*Resource)(nil)

// Metadata names the resource.
func (r *Resource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.Kind.Name
}

// Schema returns the schema of the kind.
func (r *Resource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.Kind.Schema
}

// IdentitySchema returns the attributes that identify an object.
func (r *Resource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{
		"organization_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "UUID of the organization that owns the object. Defaults to the provider's organization_id.",
		},
	}
	for _, name := range r.Kind.IDs {
		resp.IdentitySchema.Attributes[name] = identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "UUID of the " + strings.TrimSuffix(name, "_id") + ".",
		}
	}
}
