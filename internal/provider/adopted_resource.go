package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
)

// adoptedResource is the framework's resource of a kind: its schemas, and what ends with an error, such as
// the upgrade of a state of another version. The engine of the kind handles the rest.
type adoptedResource struct {
	resource.Resource // nil: the server never lets the framework create, read, update or delete
	kind              *adopt.Kind
}

func (r *adoptedResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.kind.Name
}

func (r *adoptedResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.kind.Schema
}

func (r *adoptedResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{
		"organization_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "UUID of the organization that owns the object. Defaults to the provider's organization_id.",
		},
	}
	for _, name := range r.kind.IDs {
		resp.IdentitySchema.Attributes[name] = identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "UUID of the " + strings.TrimSuffix(name, "_id") + ".",
		}
	}
}
