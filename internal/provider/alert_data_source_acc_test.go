package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a user of data.dataplatform_alert sees.

// An alert is read by its ID. It needs the settings of the alerting API alone.
func TestAccAlertDataSource(t *testing.T) {
	p := newPlatform(t)
	id := p.variable(alertVariable, mockplatform.FiringAlertID)
	alert, err := p.get(t.Context(), alertPath(id))
	if err != nil {
		t.Fatal(err)
	}
	const this = "data.dataplatform_alert.this"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: p.providers(),
		Steps: []resource.TestStep{{
			Config: p.provider() + fmt.Sprintf("data \"dataplatform_alert\" \"this\" {\n  id = %q\n}\n", id),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(this, tfjsonpath.New("name"), returned(member(alert, "name"))),
				statecheck.ExpectKnownValue(this, tfjsonpath.New("state"), returned(member(alert, "state"))),
				statecheck.ExpectKnownValue(this, tfjsonpath.New("interval"), returned(member(alert, "interval"))),
			},
			PostApplyFunc: p.received(),
		}},
	})
}
