package adopt

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// importedID is the object that an import names, by the ID in text or, if that is "", by an identity.
func (e *Engine) importedID(c *conn.Connection, text string, identity tfvalue.Value, diags *diag.Diagnostics) (Identity, error) {
	short := strings.ToUpper(strings.Join(e.IDs, "/"))
	long := "ORGANIZATION_ID/" + short + "."
	var parts []string
	if text != "" {
		parts = strings.Split(text, "/")
	} else if !identity.IsNull() {
		for _, name := range e.identifiers() {
			parts = append(parts, identity.At(name).Text())
		}
		if parts[0] == "" {
			parts = parts[1:]
		}
	}
	for _, part := range parts {
		// Terraform does not run the validators of the schema in an import.
		if !words.IsUUID(part) {
			return Identity{}, fmt.Errorf("%q is not a UUID; expected %s or %s", part, short, long)
		}
	}
	switch len(parts) - len(e.IDs) {
	case 0:
		organization := c.Organization(tfvalue.Null(tftypes.String), diags)
		if !organization.IsKnown() {
			diags.AddError("Cannot import "+e.Noun, "The provider's organization_id is known only after apply. Use the import ID "+long)
		}
		return Identity{Organization: organization.Text(), IDs: parts}, nil
	case 1:
		return Identity{Organization: parts[0], IDs: parts[1:]}, nil
	default:
		return Identity{}, fmt.Errorf("%q is not a valid import ID; expected %s or %s", text, short, long)
	}
}
