package provider

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// An alert is read by its ID. It needs the settings of the alerting API alone.
func TestAccAlertDataSource(t *testing.T) {
	o := newPlatform(t)
	id := o.variable(alertVariable, mockplatform.FiringAlertID)
	alert, err := o.send(t.Context(), http.MethodGet, "/api/v2/alerts/"+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	o.wantData("dataplatform_alert", fmt.Sprintf("id = %q", id), object{"name": member(alert, "name"), "state": member(alert, "state")})
}
