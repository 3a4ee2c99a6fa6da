package adopt

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Resource is the framework's resource of a kind: its schemas, validation, upgrades
// and imports. Engine handles read, plan and apply.
type Resource struct {
	conn.Resource
	unhandled
	Kind *Kind
}

// unhandled has the methods that the framework requires and never calls, since Engine handles them.
type unhandled interface{ resource.Resource }

var (
	_ resource.ResourceWithConfigure      = (*Resource)(nil)
	_ resource.ResourceWithIdentity       = (*Resource)(nil)
	_ resource.ResourceWithImportState    = (*Resource)(nil)
	_ resource.ResourceWithValidateConfig = (*Resource)(nil)
)

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

// ValidateConfig checks a configuration, without state or plan.
func (r *Resource) ValidateConfig(_ context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config := tfvalue.Of(req.Config.Raw)
	WarnEmptyObjects(nil, config, &resp.Diagnostics)
	if r.Kind.Validate != nil {
		r.Kind.Validate(config, &resp.Diagnostics)
	}
}

// ImportState handles an import by ID or by identity. It sends no request: a read follows, which
// completes the state.
func (r *Resource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, err := r.importedID(ctx, req, &resp.Diagnostics)
	if err != nil {
		resp.Diagnostics.AddError("Cannot import "+r.Kind.Noun, err.Error())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	for i, value := range id.parts() {
		name := path.Root(r.Kind.identifiers()[i])
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, name, value)...)
		if resp.Identity != nil {
			resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, name, value)...)
		}
	}
}

func (r *Resource) importedID(ctx context.Context, req resource.ImportStateRequest, diags *diag.Diagnostics) (Identity, error) {
	var parts []string
	if req.ID != "" {
		parts = strings.Split(req.ID, "/")
	} else if req.Identity != nil {
		for _, name := range r.Kind.identifiers() {
			var part types.String
			diags.Append(req.Identity.GetAttribute(ctx, path.Root(name), &part)...)
			parts = append(parts, part.ValueString())
		}
		if parts[0] == "" {
			parts = parts[1:]
		}
	}
	for _, part := range parts {
		// Terraform does not run the validators of the schema in an import.
		if !words.IsUUID(part) {
			return Identity{}, fmt.Errorf("%q is not a UUID; expected %s", part, r.importForms())
		}
	}
	switch len(parts) - len(r.Kind.IDs) {
	case 0:
		organization := r.Organization(tfvalue.Null(tftypes.String), diags)
		if !organization.IsKnown() {
			diags.AddError("Cannot import "+r.Kind.Noun, "The provider's organization_id is known only after apply. Use the import ID ORGANIZATION_ID/"+r.shortForm()+".")
		}
		return Identity{Organization: organization.Text(), IDs: parts}, nil
	case 1:
		return Identity{Organization: parts[0], IDs: parts[1:]}, nil
	default:
		return Identity{}, fmt.Errorf("%q is not a valid import ID; expected %s", req.ID, r.importForms())
	}
}

func (r *Resource) shortForm() string { return strings.ToUpper(strings.Join(r.Kind.IDs, "/")) }

func (r *Resource) importForms() string {
	return fmt.Sprintf("%s or ORGANIZATION_ID/%s.", r.shortForm(), r.shortForm())
}
