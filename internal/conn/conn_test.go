package conn_test

import (
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
	const (
		missing = "Error: Missing provider settings: "
		unknown = "Error: Unknown provider settings: "
		block   = " in the provider block, or with the environment variable"
		noKey   = missing + "base_url and key_id are not set: set them" + block + "s DATAPLATFORM_BASE_URL and DATAPLATFORM_KEY_ID."
		noOwner = missing + "organization_id is not set: set it" + block + " DATAPLATFORM_ORGANIZATION_ID; organization_id can also be set on this object."
	)
	all := strings.Join(conn.Unconfigured().Unknown, " ")
	none, waiting, own := tfvalue.Null(tftypes.String), tfvalue.Unknown(tftypes.String), tfvalue.String(ours)
	for name, test := range map[string]struct {
		organization     string // the provider's
		unset, unknown   string
		own              tfvalue.Value
		want             string // "" if it cannot be read now
		says             string
		refreshIsSkipped bool
	}{
		"all set":                    {theirs, "", "", none, theirs, "", false},
		"its own":                    {theirs, "", "", own, ours, "", false},
		"its own, and no other":      {"", "organization_id", "", own, ours, "", false},
		"its own, the other unknown": {"", "", "organization_id", own, ours, "", false},
		"its own unknown":            {theirs, "", "", waiting, theirs, "", false}, // the caller waits
		"alerting is not needed":     {theirs, "alerts_base_url", "alerts_access_token", none, theirs, "", false},
		"no organization":            {"", "organization_id", "", none, "", noOwner, false},
		"no key":                     {theirs, "base_url key_id", "key_secret", none, "", noKey, false},
		"one unknown":                {theirs, "", "key_secret", none, "", unknown + "key_secret is known only after apply, which is too late", true},
		"alerting missing":           {theirs, "alerts_base_url", "key_id", none, "", unknown + "key_id is known only after apply", true},
		"not configured":             {"", "", all, none, "", unknown + "organization_id, base_url, key_id", true},
	} {
		connection := &conn.Connection{OrganizationID: test.organization, Unset: strings.Fields(test.unset), Unknown: strings.Fields(test.unknown)}
		connection.Client = &platform.Client{}
		var diags, warnings diag.Diagnostics
		client, organization, ok := connection.Management(test.own, &diags)
		if isReady := test.want != ""; ok != isReady || ok != (client == connection.Client) || ok && organization.Text() != test.want {
			t.Errorf("%s: ready: %t, organization %s", name, ok, organization.Text())
		}
		if got := texts(diags); !strings.HasPrefix(got, test.says) || (got == "") != (test.says == "") {
			t.Errorf("%s: %s\nwant %s", name, got, test.says)
		}
		skipped := connection.SkipsRefresh(&warnings)
		if got := texts(warnings); skipped != test.refreshIsSkipped || skipped != strings.HasPrefix(got, "Warning: Refresh skipped: ") {
			t.Errorf("%s: refresh skipped: %t, %s", name, skipped, got)
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
