package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// What a user of dataplatform_service_scaling, and of the data sources of services, sees.

func TestAccServiceScalingAdoption(t *testing.T) { newPlatform(t).service().testAdoption() }

func TestAccServiceScalingImport(t *testing.T) { newPlatform(t).service().testImport() }

// A service is read by its ID, and by its name.
func TestAccServiceDataSource(t *testing.T) {
	s := newPlatform(t).service()
	name, _ := s.before["name"].(string)
	if name == "" {
		t.Skipf("service %s returns no name", s.id)
	}
	s.wantData("dataplatform_service", fmt.Sprintf("id = %q", s.id), object{"id": s.id, "name": name})
	s.wantData("dataplatform_service", fmt.Sprintf("name = %q", name), object{"id": s.id, "name": name})
}

// All services of an organization are listed, with no variable but the provider's own.
func TestAccServicesDataSource(t *testing.T) {
	o := newPlatform(t)
	if o.settings["base_url"] == "" {
		t.Skip("DATAPLATFORM_BASE_URL is not set")
	}
	o.wantData("dataplatform_services", "", object{"organization_id": o.settings["organization_id"]},
		statecheck.ExpectKnownValue("data.dataplatform_services.this", tfjsonpath.New("services"), knownvalue.NotNull()))
}
