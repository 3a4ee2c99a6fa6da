package adopt

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestUnknownSettings has a plan in which settings of the provider are known only after
// apply: nothing is read, and the apply does what is left.
func TestUnknownSettings(t *testing.T) {
	t.Parallel()
	const skipped, unknownSettings = "Refresh skipped: provider settings are unknown", "Unknown provider settings"
	tf := adopted(t, m{"name": "crm"})
	tf.lacks, tf.config["name"] = []string{"key_secret"}, "new"
	o := tf.plan()
	tf.wantWarnings(o, skipped)
	tf.wantSent("")
	tf.applyPlan(o)
	tf.wantErrors(o, unknownSettings)
	tf.lacks = nil
	tf.plays(act{sent: "PATCH name"})

	// An import cannot wait.
	tf = adopts(t, newToy(), m{})
	tf.lacks = []string{"key_secret"}
	tf.wantErrors(tf.imports(firstPipe), unknownSettings)
	tf.lacks = nil
	tf.wantErrors(tf.imports("2000000a-0000-4000-8000-000000000009"), "Cannot import pipe: There is no pipe")

	for _, lacks := range []string{"key_secret", "organization_id"} { // of an adoption
		tf := adopts(t, newToy(), m{"name": "new", "mappings": usual, "credentials": m{"version": "1"}})
		tf.lacks = []string{lacks}
		o := tf.plan()
		tf.wantWarnings(o)
		tf.wantSent("")
		if known := tf.tfvalue(o.Planned).At("organization_id").IsKnown(); known != (lacks == "key_secret") {
			t.Errorf("the organization is known: %t", known)
		}
		tf.lacks = nil
		tf.applyPlan(o)
		tf.wantQuiet(o)
		if got := tf.state.At("organization_id").Text(); got != organization {
			t.Errorf("the state has the organization %q", got)
		}
	}
}

// TestOrganizationUnknownOrChanged has an organization that is known only after apply, one that is not set, and
// another default of the provider after an adoption, which changes nothing.
func TestOrganizationUnknownOrChanged(t *testing.T) {
	t.Parallel()
	tf := adopts(t, newToy(), m{"organization_id": unknown})
	o := tf.plan()
	tf.wantSent("")
	if tf.tfvalue(o.Planned).At("organization_id").IsKnown() {
		t.Errorf("planned %v", o.Planned.GoString())
	}
	tf.start(m{"pipe_id": firstPipe})
	tf.run.OrganizationID = ""
	tf.wantErrors(tf.block.PlanOnly(tf), "organization_id is not set")
	tf.wantSent("")
	tf = adopted(t, m{"name": "crm"})
	tf.start(tf.config)
	tf.run.OrganizationID = another
	if c := tf.block.Plan(tf); c.Action != terraformtest.None {
		t.Errorf("with another default, the plan is to %s: %v", c.Action, &c.Report)
	}
}

// TestImportOfAnother has an import into a block that names another pipe: the plan of the import
// refuses, unless the ID is not known yet. A later plan is a replacement, as the user may want it.
func TestImportOfAnother(t *testing.T) {
	t.Parallel()
	tf := adopts(t, newToy(), m{"pipe_id": another})
	tf.wantErrors(tf.imports(firstPipe))
	o := tf.block.PlanOnly(tf)
	tf.wantErrors(o, "Import does not match the configuration: The import and the configuration of this resource name different pipes: pipe_id is "+firstPipe+" in the import and "+another+" in the configuration. ")
	tf.wantWarnings(o)
	tf.block.Config = tf.cty(value(m{"pipe_id": unknown}, pipeType))
	tf.wantErrors(tf.block.PlanOnly(tf))
	for range 2 {
		if o := tf.plan(); o.Action != terraformtest.Replace {
			t.Errorf("a later plan is to %s: %v", o.Action, &o.Report)
		}
	}
}

// TestImportState has import IDs and identities, and the state and the identity after them,
// or the error.
func TestImportState(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		id       string
		identity m
		lacks    []string
		want     string
	}{
		"an ID":                         {firstPipe, nil, nil, organization},
		"an ID with its organization":   {another + "/" + firstPipe, nil, nil, another},
		"an ID with too many parts":     {another + "/" + another + "/" + firstPipe, nil, nil, "is not a valid import ID; expected PIPE_ID or ORGANIZATION_ID/PIPE_ID."},
		"no UUID":                       {"crm", nil, nil, `"crm" is not a UUID; expected PIPE_ID or ORGANIZATION_ID/PIPE_ID.`},
		"an identity":                   {"", m{"pipe_id": firstPipe}, nil, organization},
		"an identity with organization": {"", m{"pipe_id": firstPipe, "organization_id": another}, nil, another},
		"nothing":                       {"", nil, nil, "is not a valid import ID"},
		"an unknown organization":       {firstPipe, nil, []string{"organization_id"}, "Use the import ID ORGANIZATION_ID/PIPE_ID."},
	} {
		e, run := newToy().engine(), newConnection()
		run.Unknown = test.lacks
		req := &tfprotov6.ImportResourceStateRequest{ID: test.id}
		if test.identity != nil {
			identity, _ := encode(value(test.identity, e.identityType))
			req.Identity = &tfprotov6.ResourceIdentityData{IdentityData: identity}
		}
		resp, err := e.ImportResourceState(run, req)
		if err != nil {
			t.Fatal(err)
		}
		if errors := resp.Diagnostics; len(errors) > 0 {
			if len(errors) != 1 || errors[0].Summary != "Cannot import pipe" || !strings.Contains(errors[0].Detail, test.want) {
				t.Errorf("%s: %v", name, errors)
			}
			continue
		}
		want, found := m{"organization_id": test.want, "pipe_id": firstPipe}, resp.ImportedResources[0]
		state, _ := decode(found.State, e.objectType)
		identity, _ := decode(found.Identity.IdentityData, e.identityType)
		if !state.Equal(value(want, e.objectType)) || !identity.Equal(value(want, e.identityType)) {
			t.Errorf("%s: state %v, identity %v, want %v", name, state, identity, want)
		}
	}
}

// TestResponsesOfCalls has the identity in responses, a generated configuration, and the error of an
// apply that leaves a value unknown, and diagnostics as the protocol has them.
func TestResponsesOfCalls(t *testing.T) {
	t.Parallel()
	e, ctx, ids := newToy().engine(), context.Background(), m{"organization_id": organization, "pipe_id": firstPipe}
	state, _ := encode(value(ids, e.objectType))
	none, _ := encode(tfvalue.Null(e.objectType))
	unsettled, _ := encode(value(m{"organization_id": organization, "pipe_id": firstPipe, "credentials": m{"user": unknown}}, e.objectType))
	reads, _ := e.ReadResource(ctx, newConnection(), &tfprotov6.ReadResourceRequest{CurrentState: state})
	applies, _ := e.ApplyResourceChange(ctx, newConnection(), &tfprotov6.ApplyResourceChangeRequest{Config: state, PlannedState: state, PriorState: state})
	destroys, _ := e.ApplyResourceChange(ctx, newConnection(), &tfprotov6.ApplyResourceChangeRequest{Config: none, PlannedState: none, PriorState: state})
	for i, got := range []*tfprotov6.ResourceIdentityData{reads.NewIdentity, applies.NewIdentity, destroys.NewIdentity} {
		if identity, err := decode(got.IdentityData, e.identityType); err != nil || !identity.Equal(value([]any{ids, ids, nil}[i], e.identityType)) {
			t.Errorf("identity %d is %v, %v", i, identity, err)
		}
	}
	if generated, err := e.GenerateResourceConfig(newConnection(), &tfprotov6.GenerateResourceConfigRequest{State: state}); err != nil || generated.Config == nil {
		t.Errorf("generated %v, %v", generated, err)
	}
	applied, _ := e.ApplyResourceChange(ctx, newConnection(), &tfprotov6.ApplyResourceChangeRequest{Config: unsettled, PlannedState: unsettled, PriorState: state})
	if len(applied.Diagnostics) != 1 || applied.Diagnostics[0].Summary != "Unknown values after apply" {
		t.Errorf("diagnostics %v of an apply that leaves a value unknown", applied.Diagnostics)
	}
	var all diag.Diagnostics
	all.AddAttributeWarning(conn.AttributePath(tfvalue.Path{"destination", "table"}), "Summary", "Detail")
	all.AddError("Summary", "Detail")
	if d := conn.ToProtocol(all); d[0].Attribute.String() != `AttributeName("destination").AttributeName("table")` || d[1].Attribute != nil ||
		d[0].Severity != tfprotov6.DiagnosticSeverityWarning || d[1].Severity != tfprotov6.DiagnosticSeverityError {
		t.Errorf("diagnostics %v and %v", d[0], d[1])
	}
}
