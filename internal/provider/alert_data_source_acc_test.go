package provider

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// What a user of data.dataplatform_alert sees.

// An alert is read by its ID. It needs the settings of the alerting API alone.
func TestAccAlertDataSource(t *testing.T) {
	o := newPlatform(t)
	id := o.variable(alertVariable, mockplatform.FiringAlertID)
	alert, err := o.send(t.Context(), http.MethodGet, alertPath(id), nil)
	if err != nil {
		t.Fatal(err)
	}
	o.learned.note("alert", alert)
	const this = "data.dataplatform_alert.this"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: providers(t),
		Steps: []resource.TestStep{{
			Config: o.provider() + fmt.Sprintf("data \"dataplatform_alert\" \"this\" {\n  id = %q\n}\n", id),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(this, tfjsonpath.New("name"), exactly(member(alert, "name"))),
				statecheck.ExpectKnownValue(this, tfjsonpath.New("state"), exactly(member(alert, "state"))),
				statecheck.ExpectKnownValue(this, tfjsonpath.New("interval"), exactly(member(alert, "interval"))),
			},
			PostApplyFunc: o.received(),
		}},
	})
}
