package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestAPIKeyEmptyObject has a hash_data that sets nothing, as a misspelled name leaves
// it behind, and one that sets something.
func TestAPIKeyEmptyObject(t *testing.T) {
	t.Parallel()
	typ := apiKeySchema().Type().TerraformType(t.Context()).(tftypes.Object)
	hashes := typ.AttributeTypes["hash_data"]
	roles := tfvalue.Collection(typ.AttributeTypes["roles"], []tfvalue.Value{tfvalue.String("admin")})
	for warnings, hashData := range []tfvalue.Value{
		unset(hashes, map[string]tfvalue.Value{"key_id_hash": tfvalue.String("h")}),
		unset(hashes, nil),
	} {
		config := unset(typ, map[string]tfvalue.Value{"name": tfvalue.String("n"), "roles": roles, "hash_data": hashData})
		encoded, err := tfprotov6.NewDynamicValue(typ, config.Value)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := serverOf(newProvider("test")).ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "dataplatform_api_key", Config: &encoded})
		if err != nil || len(resp.Diagnostics) != warnings {
			t.Fatalf("%d diagnostics: %v, want %d", len(resp.Diagnostics), err, warnings)
		}
		for _, d := range resp.Diagnostics {
			wantText(t, d.Summary+" "+d.Detail, "Object is empty hash_data has no attributes set")
		}
	}
}
