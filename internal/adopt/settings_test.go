package adopt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestUnknownSettings has a plan in which settings of the provider, or the organization, are known only after apply:
// nothing is read, and the apply does what is left. Another default of the provider changes nothing later.
func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "crm"})
	tf.lacks, tf.config["name"] = []string{"key_secret"}, "new"
	o := tf.plan()
	tf.wantWarnings(o, "Refresh skipped: provider settings are unknown")
	tf.applyPlan(o)
	tf.wantErrors(o, "Unknown provider settings")
	tf.wantSent("")
	tf.lacks = nil
	tf.plays(act{sent: "PATCH name"})
	tf.start(tf.config)
	tf.run.OrganizationID = another
	if c := tf.block.Plan(tf); c.Action != terraformtest.None {
		t.Errorf("with another default, the plan is to %s: %v", c.Action, &c.Report)
	}

	// An import cannot wait.
	tf = adopts(t, m{})
	tf.lacks = []string{"key_secret"}
	tf.wantErrors(tf.imports(firstPipe), "Unknown provider settings")
	tf.lacks = nil
	tf.wantErrors(tf.imports("2000000a-0000-4000-8000-000000000009"), "Cannot import pipe: There is no pipe")

	tf = adopts(t, m{"mappings": usual, "credentials": m{"version": "1"}})
	for _, inPlan := range []m{{"pipe_id": firstPipe, "organization_id": unknown}, nil} {
		tf.planConfig, tf.lacks = inPlan, []string{"organization_id"}
		o = tf.plan()
		tf.wantWarnings(o)
		tf.wantSent("")
		if organization := tf.tfvalue(o.Planned).At("organization_id"); organization.IsKnown() {
			t.Errorf("planned %v", organization)
		}
	}
	tf.lacks = nil
	tf.applyPlan(o)
	tf.wantQuiet(o)
	if got := tf.state.At("organization_id").Text(); got != organization {
		t.Errorf("the state has the organization %q", got)
	}
}

// TestImportOfAnother has an import into a block that names another pipe: the plan of the import
// refuses, unless the ID is not known yet. A later plan is a replacement, as the user may want it.
func TestImportOfAnother(t *testing.T) {
	t.Parallel()
	tf := adopts(t, m{"pipe_id": another})
	tf.wantErrors(tf.imports(firstPipe))
	o := tf.block.PlanOnly(tf)
	tf.wantErrors(o, "Import does not match the configuration: The import and the configuration of this resource name different pipes: "+
		"pipe_id is "+firstPipe+" in the import and "+another+" in the configuration. ")
	tf.wantWarnings(o)
	tf.block.Config = tf.cty(value(m{"pipe_id": unknown}, pipeType))
	tf.wantErrors(tf.block.PlanOnly(tf))
	for range 2 {
		if o := tf.plan(); o.Action != terraformtest.Replace {
			t.Errorf("a later plan is to %s: %v", o.Action, &o.Report)
		}
	}
}

// TestImportState has import IDs and identities, and the organization of the pipe that they name, or the error.
func TestImportState(t *testing.T) {
	const forms = "; expected PIPE_ID or ORGANIZATION_ID/PIPE_ID."
	type row struct {
		id       string
		identity any
		want     string
	}
	eachRow(t, func(row row, t *testing.T) {
		e, run := newToy().engine(), newConnection()
		if strings.HasPrefix(row.want, "Use the import ID") {
			run.OrganizationID, run.Unknown = "", []string{"organization_id"}
		}
		var diags diag.Diagnostics
		id, err := e.importedID(run, row.id, value(row.identity, e.identityType), &diags)
		if !strings.Contains(fmt.Sprint(id.Organization, err, diags), row.want) || err == nil && len(diags) == 0 && id.IDs[0] != firstPipe {
			t.Error(id, err, diags)
		}
	}, map[string]row{
		"an ID":                         {firstPipe, nil, organization},
		"an ID with its organization":   {another + "/" + firstPipe, nil, another},
		"an ID with too many parts":     {another + "/" + another + "/" + firstPipe, nil, "is not a valid import ID" + forms},
		"no UUID":                       {"crm", nil, `"crm" is not a UUID` + forms},
		"an identity":                   {"", m{"pipe_id": firstPipe}, organization},
		"an identity with organization": {"", m{"pipe_id": firstPipe, "organization_id": another}, another},
		"nothing":                       {"", nil, `"" is not a UUID`},
		"an unknown organization":       {firstPipe, nil, "Use the import ID ORGANIZATION_ID/PIPE_ID."},
	})
}

// TestGeneratedConfigurationOfAnObject has what a person would write for an object.
func TestGeneratedConfigurationOfAnObject(t *testing.T) {
	const ours = "1000000a-0000-4000-8000-000000000001" // the provider's organization
	e := newToy().engine()
	type row struct{ state, want m }
	eachRow(t, func(row row, t *testing.T) {
		row.state["pipe_id"], row.want["pipe_id"] = firstPipe, firstPipe
		got := e.generate(value(row.state, pipeType), ours)
		if want := value(row.want, pipeType); !got.Equal(want) {
			t.Error(cmp.Diff(want.Value, got.Value, cmp.Comparer(tftypes.Type.Equal)))
		}
	}, map[string]row{
		"no deprecated and no write-only argument": {
			m{"columns": []any{"a"}, "workers": 24, "credentials": m{"user": "u", "key": "k"}}, m{"columns": []any{"a"}, "credentials": m{"user": "u"}},
		},
		"elements without their names": {
			m{"mappings": m{"items": m{"target_table": "items", "sorted": false, "excluded_columns": []any{}}, "events": mapping("events from w sorted")}},
			m{"mappings": m{"items": m{"excluded_columns": []any{}}, "events": m{"source_table": "w", "sorted": true}}},
		},
		"no element without a name":   {m{"mappings": "events, _ sorted"}, m{}},
		"no key that is repeated":     {m{"mappings": "events, events sorted"}, m{}},
		"another organization":        {m{"organization_id": organization}, m{"organization_id": organization}},
		"the provider's, in capitals": {m{"organization_id": strings.ToUpper(ours)}, m{}},
	})
}
