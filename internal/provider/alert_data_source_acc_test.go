package provider

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
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

// A fraction stays one, and an ID is one segment of a path.
func TestAccAlertDataSourceLimits(t *testing.T) {
	f := newFixture(t)
	config := func(id string) string {
		return f.provider() + fmt.Sprintf("data \"dataplatform_alert\" \"this\" {\n  id = %q\n}\n", id)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: f.providers(),
		Steps: []resource.TestStep{
			{Config: config(""), ExpectError: regexp.MustCompile(`id is empty`)},
			{Config: config("a/b"), ExpectError: regexp.MustCompile(`slash`)},
			{Config: config("gone"), ExpectError: regexp.MustCompile(`Cannot read alert`)},
			{
				Config: config(mockplatform.FiringAlertID),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.dataplatform_alert.this", tfjsonpath.New("threshold"), knownvalue.Float64Exact(0.005)),
					statecheck.ExpectKnownValue("data.dataplatform_alert.this", tfjsonpath.New("channel").AtMapKey("type"), knownvalue.StringExact("webhook")),
				},
			},
		},
	})
}
