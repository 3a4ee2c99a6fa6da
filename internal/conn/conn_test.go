package conn_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

const theirs, ours = "10000000-0000-4000-8000-000000000001", "10000000-0000-4000-8000-000000000002"

// texts are diagnostics, a line each.
func texts(diags diag.Diagnostics) (all string) {
	for _, d := range diags {
		all += d.Severity().String() + ": " + d.Summary() + ": " + d.Detail() + "\n"
	}
	return strings.TrimSuffix(all, "\n")
}

// TestManagement has settings that are set, missing or unknown, and an object with and
// without an organization of its own: a read needs all of them, and says in one error
// which it lacks. What is missing comes first, since no apply makes it known.
func TestManagement(t *testing.T) {
	t.Parallel()
	none, waiting, own := tfvalue.Null(tftypes.String), tfvalue.Unknown(tftypes.String), tfvalue.String(ours)
	for name, test := range map[string]struct {
		connection       *conn.Connection
		own              tfvalue.Value
		organization     string // "" if it cannot be read now
		says             string
		refreshIsSkipped bool
	}{
		"all set":                        {&conn.Connection{OrganizationID: theirs}, none, theirs, "", false},
		"its own":                        {&conn.Connection{OrganizationID: theirs}, own, ours, "", false},
		"its own, and no other":          {&conn.Connection{Unset: []string{"organization_id"}}, own, ours, "", false},
		"its own, the other unknown":     {&conn.Connection{Unknown: []string{"organization_id"}}, own, ours, "", false},
		"its own unknown":                {&conn.Connection{OrganizationID: theirs}, waiting, theirs, "", false}, // the caller waits
		"alerting is not needed":         {&conn.Connection{OrganizationID: theirs, Unset: []string{"alerts_base_url"}, Unknown: []string{"alerts_access_token"}}, none, theirs, "", false},
		"no organization":                {&conn.Connection{Unset: []string{"organization_id"}}, none, "", "Error: Missing provider settings: organization_id is not set: set it in the provider block, or with the environment variable DATAPLATFORM_ORGANIZATION_ID; organization_id can also be set on this object.", false},
		"no key":                         {&conn.Connection{OrganizationID: theirs, Unset: []string{"base_url", "key_id", "key_secret"}}, none, "", "Error: Missing provider settings: base_url, key_id and key_secret are not set: set them in the provider block, or with the environment variables DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID and DATAPLATFORM_KEY_SECRET.", false},
		"one missing, another unknown":   {&conn.Connection{OrganizationID: theirs, Unset: []string{"base_url"}, Unknown: []string{"key_secret"}}, none, "", "Error: Missing provider settings: base_url is not set: set it in the provider block, or with the environment variable DATAPLATFORM_BASE_URL.", false},
		"one unknown":                    {&conn.Connection{OrganizationID: theirs, Unknown: []string{"key_secret"}}, none, "", "Error: Unknown provider settings: key_secret is known only after apply, which is too late for this plan.", true},
		"alerting missing, one unknown":  {&conn.Connection{OrganizationID: theirs, Unset: []string{"alerts_base_url"}, Unknown: []string{"key_id"}}, none, "", "Error: Unknown provider settings: key_id is known only after apply", true},
		"the provider is not configured": {conn.Unconfigured(), none, "", "Error: Unknown provider settings: organization_id, base_url, key_id", true},
	} {
		test.connection.Client = &platform.Client{}
		var diags, warnings diag.Diagnostics
		client, organization, ok := test.connection.Management(test.own, &diags)
		if ok != (test.organization != "") || ok && (client != test.connection.Client || organization.Text() != test.organization) {
			t.Errorf("%s: ready: %t, organization %s", name, ok, organization.Text())
		}
		if got := texts(diags); !strings.HasPrefix(got, test.says) || (got == "") != (test.says == "") || strings.Contains(got, "\n") {
			t.Errorf("%s: %s\nwant %s", name, got, test.says)
		}
		skipped := test.connection.SkipsRefresh(&warnings)
		if skipped != test.refreshIsSkipped || skipped != strings.HasPrefix(texts(warnings), "Warning: Refresh skipped: provider settings are unknown: ") {
			t.Errorf("%s: refresh skipped: %t, %s", name, skipped, texts(warnings))
		}
	}
}

// TestOrganization has the organization of an object that is only planned: it may be
// unknown, and where none is set, the error names what else is missing, once.
func TestOrganization(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	none := tfvalue.Null(tftypes.String)
	if got := (&conn.Connection{Unknown: []string{"organization_id"}}).Organization(none, &diags); got.IsKnown() || len(diags) > 0 {
		t.Errorf("%s, want unknown: %s", got.Text(), texts(diags))
	}
	missing := &conn.Connection{Unset: []string{"organization_id", "key_id", "alerts_base_url"}}
	if got := missing.Organization(none, &diags); !got.IsNull() {
		t.Errorf("%s, want none", got.Text())
	}
	missing.Ready(conn.ManagementSettings, &diags)
	if len(diags) != 1 || !strings.Contains(texts(diags), "organization_id and key_id are not set: ") {
		t.Errorf("want one error: %s", texts(diags))
	}
}

// TestDetail makes a sentence of an error that is not the client's.
func TestDetail(t *testing.T) {
	t.Parallel()
	if got := conn.Detail(errors.New("écrire failed")); got != "Écrire failed." {
		t.Error(got)
	}
	if failed := (&platform.Error{Operation: "read pipe", Status: 410}); conn.Detail(failed) != failed.Detail() {
		t.Error(conn.Detail(failed))
	}
}
