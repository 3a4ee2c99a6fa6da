package adopt

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
)

// TestUnknownSettings has a plan in which settings of the provider, or the organization, are known only after apply:
// nothing is read, and the apply does what is left. Another default of the provider changes nothing later.
func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	tf := adopted(t, m{"name": "crm"})
	tf.lacks = []string{"key_secret"}
	tf.plays(act{config: m{"name": "new"}, errors: []string{"Unknown provider settings"}, warnings: []string{"Refresh skipped: provider settings are unknown"}})
	tf.lacks = nil
	tf.plays(act{sent: "PATCH name"})
	tf.start(tf.config)
	tf.run.OrganizationID = another
	tf.wantSaid(tf.block.Plan(tf), nil, []string{"Organization differs from the provider's"}) // a replacement would be two warnings more

	// An import cannot wait.
	tf = adopts(t, m{})
	tf.wantErrors(tf.imports("2000000a-0000-4000-8000-000000000009"), "Cannot import pipe: There is no pipe")
	tf.lacks = []string{"key_secret"}
	tf.wantErrors(tf.imports(firstPipe), "Unknown provider settings")
	tf.lacks = []string{"organization_id"}
	tf.wantErrors(tf.imports(firstPipe), "The provider's organization_id is known only after apply. Use the import ID ORGANIZATION_ID/PIPE_ID.")

	// The apply adopts what its plan has not read. It adds a mapping, and removes none.
	for _, inPlan := range []m{{"organization_id": unknown}, nil} {
		tf := adopts(t, m{"mappings": more, "credentials": m{"version": "1"}})
		tf.inPlan, tf.lacks = inPlan, []string{"organization_id"}
		o := tf.plan()
		tf.wantSaid(o, nil, nil)
		tf.wantSent("")
		if organization := o.Planned.GetAttr("organization_id"); organization.IsKnown() {
			t.Errorf("planned %#v", organization)
		}
		tf.lacks = nil
		tf.applyPlan(o)
		tf.wantQuiet(o)
		tf.wantPatches("PATCH credentials.version, PATCH +users")
	}
}

// TestImportOfAnother has an import into a block that names another pipe: the plan of the import
// refuses, unless the ID is not known yet. A later plan is a replacement, as the user may want it.
func TestImportOfAnother(t *testing.T) {
	t.Parallel()
	tf := adopts(t, m{"pipe_id": another})
	tf.wantErrors(tf.imports(firstPipe))
	tf.wantSaid(tf.block.PlanOnly(tf), []string{"Import does not match the configuration: The import and the configuration of this resource " +
		"name different pipes: pipe_id is " + firstPipe + " in the import and " + another + " in the configuration. "}, nil)
	tf.block.Config = tf.cty(value(m{"pipe_id": unknown}, pipeType))
	tf.wantErrors(tf.block.PlanOnly(tf))
	tf.wantSaid(tf.plan(), nil, []string{"Replacement adopts another pipe", "Destroy does not delete services or pipes"})
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
		e := newToy().engine()
		id, err := e.importedID(newConnection(), row.id, value(row.identity, e.identityType), &diag.Diagnostics{})
		if !strings.Contains(fmt.Sprint(id.Organization, err), row.want) || err == nil && id.IDs[0] != firstPipe {
			t.Error(id, err)
		}
	}, map[string]row{
		"an ID with its organization":   {another + "/" + firstPipe, nil, another},
		"an ID with too many parts":     {another + "/" + another + "/" + firstPipe, nil, "is not a valid import ID" + forms},
		"no UUID":                       {"crm", nil, `"crm" is not a UUID` + forms},
		"an identity":                   {"", m{"pipe_id": firstPipe}, organization},
		"an identity with organization": {"", m{"pipe_id": firstPipe, "organization_id": another}, another},
		"nothing":                       {"", nil, `"" is not a UUID`},
	})
}

// TestGeneratedConfigurationOfAnObject has what a person would write for an object.
func TestGeneratedConfigurationOfAnObject(t *testing.T) {
	e := newToy().engine()
	type row struct{ state, want m }
	eachRow(t, func(row row, t *testing.T) {
		row.state["pipe_id"], row.want["pipe_id"] = firstPipe, firstPipe
		got := e.generate(value(row.state, pipeType), organization)
		if want := value(row.want, pipeType); !got.Equal(want) {
			t.Errorf("got %s, want %s", got.DescribeInFull(), want.DescribeInFull())
		}
	}, map[string]row{
		"no deprecated and no write-only argument": {
			m{"columns": []any{"a"}, "workers": 24, "credentials": m{"user": "u", "key": "k"}}, m{"columns": []any{"a"}, "credentials": m{"user": "u"}},
		},
		"elements without their names": {
			m{"mappings": m{"items": m{"target_table": "items", "sorted": false, "excluded_columns": []any{}}, "events": mapping("events from w sorted")}},
			m{"mappings": m{"items": m{"excluded_columns": []any{}}, "events": m{"source_table": "w", "sorted": true}}},
		},
		"no element without a name":   {m{"mappings": m{"events": mapping("events"), `""`: m{"sorted": true}}}, m{}},
		"no key that is repeated":     {m{"mappings": "events, events sorted"}, m{}},
		"another organization":        {m{"organization_id": another}, m{"organization_id": another}},
		"the provider's, in capitals": {m{"organization_id": strings.ToUpper(organization)}, m{}},
	})
}

// TestConfigurationThatCannotBeGenerated has keys that Terraform would evaluate, or could not read again.
func TestConfigurationThatCannotBeGenerated(t *testing.T) {
	e := newToy().engine()
	generate := func(keys ...string) string {
		all := m{}
		for _, key := range keys {
			all[key] = mapping("events")
		}
		state, _ := conn.Encode(value(m{"pipe_id": firstPipe, "mappings": all}, pipeType))
		resp, err := e.GenerateResourceConfig(conn.Unconfigured(), &tfprotov6.GenerateResourceConfigRequest{State: state})
		if err != nil || (resp.Config == nil) != (len(resp.Diagnostics) == 1) {
			t.Fatalf("%v, %v", resp, err)
		}
		if resp.Config != nil {
			return ""
		}
		return resp.Diagnostics[0].Summary + ": " + resp.Diagnostics[0].Detail
	}
	if got := generate("plain", "$x {y} 50% $$"); got != "" {
		t.Error(got)
	}
	const want = "Cannot generate configuration of pipe " + firstPipe + ": "
	if got := generate("plain", "a${var.x}", "b%{ if", "c\n\"\\\x00"); !strings.HasPrefix(got, want) ||
		!strings.HasSuffix(got, "\n\n"+`  - "a$${var.x}"`+"\n"+`  - "b%%{ if"`+"\n"+`  - "c\u000A\"\\\u0000"`) {
		t.Error(got)
	}
}
