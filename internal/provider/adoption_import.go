package provider

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// IdentitySchema implements resource.ResourceWithIdentity.
func (a *adoption) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema.Attributes = map[string]identityschema.Attribute{
		"organization_id": identityschema.StringAttribute{
			OptionalForImport: true,
			Description:       "Organization that owns the object; the provider's where it is left out.",
		},
	}
	for _, name := range a.idNames() {
		resp.IdentitySchema.Attributes[name] = identityschema.StringAttribute{
			RequiredForImport: true,
			Description:       "UUID of the " + strings.TrimSuffix(name, "_id") + ".",
		}
	}
}

func (a *adoption) identityValue(value tftypes.Value, typ tftypes.Type) tftypes.Value {
	parts := map[string]tftypes.Value{}
	for name := range typ.(tftypes.Object).AttributeTypes {
		parts[name] = at(value, name)
	}
	return tftypes.NewValue(typ, parts)
}

// ImportState implements resource.ResourceWithImportState, by string or by
// identity. It writes nothing, and the read that follows fills in the rest.
func (a *adoption) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	id, err := a.importedID(ctx, req, resp)
	if err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Unable to import %s", a.noun()), err.Error())
		return
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if id.organization == "" {
		organization := a.organization(tftypes.NewValue(tftypes.String, nil), &resp.Diagnostics)
		if resp.Diagnostics.HasError() {
			return
		}
		if id.organization = text(organization); id.organization == "" {
			resp.Diagnostics.AddError(
				fmt.Sprintf("Unable to import %s", a.noun()),
				"organization_id of the provider depends on a value that is known only after an apply. Name the organization in the import: "+a.importForm(),
			)
			return
		}
	}
	for i, name := range append([]string{"organization_id"}, a.idNames()...) {
		value := append([]string{id.organization}, id.ids...)[i]
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
		if resp.Identity != nil {
			resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(name), value)...)
		}
	}
}

func (a *adoption) importedID(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) (identity, error) {
	var parts []string
	if req.ID != "" {
		parts = strings.Split(req.ID, "/")
	} else if req.Identity != nil {
		for _, name := range append([]string{"organization_id"}, a.idNames()...) {
			var part types.String
			resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root(name), &part)...)
			parts = append(parts, part.ValueString())
		}
		if parts[0] == "" {
			parts = parts[1:]
		}
	}
	for _, part := range parts {
		if !uuidPattern.MatchString(part) {
			return identity{}, fmt.Errorf("%q is not a UUID. Import takes %s", part, a.importForm())
		}
	}
	switch len(parts) - len(a.idNames()) {
	case 0:
		return identity{ids: parts}, nil
	case 1:
		return identity{organization: parts[0], ids: parts[1:]}, nil
	default:
		return identity{}, fmt.Errorf("%q has not the form of an import id. Import takes %s", req.ID, a.importForm())
	}
}

func (a *adoption) importForm() string {
	form := strings.ToUpper(strings.Join(a.idNames(), "/"))
	return fmt.Sprintf("%s or ORGANIZATION_ID/%s.", form, form)
}
