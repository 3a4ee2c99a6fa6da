package provider

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

const thisScaling = "dataplatform_service_scaling.this"

// ourServices are those of the seed's first organization.
var ourServices = []string{mockplatform.ServiceID, mockplatform.ReadonlyServiceID, mockplatform.FullServiceID}

// wantValues compares attributes of the state.
func (b *managed) wantValues(want object) {
	b.t.Helper()
	for name, value := range want {
		if got := b.shown()[name]; fmt.Sprint(got) != fmt.Sprint(value) {
			b.t.Errorf("%s is %v in the state, want %v", name, got, value)
		}
	}
}

// TestScalingChanges has, step by step, the one PATCH that a change makes, and what its
// plan leaves until after the apply: the memory of a replica where the totals change, and
// nothing else.
func TestScalingChanges(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.Patches.MovesReplicaMemory = true })
	b := f.scaling(mockplatform.ServiceID, `
  num_replicas         = 3
  idle_scaling         = true
  idle_timeout_minutes = 15.0
  min_total_memory_gb  = 24
  max_total_memory_gb  = 48`)
	b.apply()
	b.wantWrites() // all of it matches
	b.wantValues(object{
		"organization_id": mockplatform.OrganizationID, "idle_timeout_minutes": 15, "name": "events-eu", "is_primary": true, "min_replica_memory_gb": 8,
	})
	memory := []string{"max_replica_memory_gb", "min_replica_memory_gb"}
	for _, step := range []struct {
		arguments string
		unknown   []string
		sends     []string
	}{
		{"num_replicas = 3\nidle_scaling = false\nidle_timeout_minutes = 15", nil, []string{`{"idleScaling": false}`}},
		{"num_replicas = 5\nidle_scaling = false\nidle_timeout_minutes = 20", nil, []string{`{"numReplicas": 5, "idleTimeoutMinutes": 20}`}},
		{"", nil, nil}, // leaving the configuration leaves the value alone
		{"min_total_memory_gb = 36\nmax_total_memory_gb = 72", memory, []string{`{"minTotalMemoryGb": 36, "maxTotalMemoryGb": 72}`}},
		{"min_total_memory_gb = 36\nmax_total_memory_gb = 72\nnum_replicas = 2", nil, []string{`{"numReplicas": 2}`}},
		{"num_replicas = 4\nidle_timeout_minutes = 60\nlifecycle {\n  ignore_changes = [num_replicas]\n}", nil, []string{`{"idleTimeoutMinutes": 60}`}},
	} {
		b.arguments = step.arguments
		plan := b.plan()
		if got := plan.unknown(); !slices.Equal(got, step.unknown) {
			t.Errorf("%s: known after the apply is %q, want %q", step.arguments, got, step.unknown)
		}
		wantNoText(t, b.applyPlan(plan).String(), "changed during the update") // the platform derives them from the totals
		b.wantWrites(step.sends...)
		b.wantQuiet()
	}
}

// TestPlanOfTooFewReplicas plans one replica, which the first service of a warehouse may not have.
func TestPlanOfTooFewReplicas(t *testing.T) {
	f := newFixture(t)
	warning := map[string]string{mockplatform.ServiceID: `Fewer than 2 replicas for service "events-eu" (` + mockplatform.ServiceID + ")"}
	for _, id := range []string{mockplatform.ServiceID, mockplatform.ReadonlyServiceID} {
		b := f.scaling(id, "")
		b.apply()
		f.UpdateService(id, func(doc mockplatform.Document) { doc["numReplicas"] = 2 })
		b.arguments = "num_replicas = 1"
		wantWarning(t, b.plan().warnings, warning[id])
	}
}

// TestMemoryLimitBesideThePlatforms plans a memory limit beyond the other one, which only the platform has: it keeps that.
func TestMemoryLimitBesideThePlatforms(t *testing.T) {
	t.Parallel()
	const ignored = "\nlifecycle {\n  ignore_changes = [%s_total_memory_gb]\n}\n"
	terraformtest.Rows(t, map[string]struct{ adopted, arguments, got string }{ // the platform has 48 and 96
		"maximum of an adoption":         {"-", "max_total_memory_gb = 24", "48 and 24"},
		"maximum":                        {"", "max_total_memory_gb = 24", "48 and 24"},
		"minimum":                        {"", "min_total_memory_gb = 108", "108 and 96"},
		"the other one is ignored":       {"", "max_total_memory_gb = 24\nmin_total_memory_gb = 24" + fmt.Sprintf(ignored, "min"), "48 and 24"},
		"the other one is no longer set": {"min_total_memory_gb = 48", "max_total_memory_gb = 24", "48 and 24"},
		"unknown until the apply":        {"", "max_total_memory_gb = later.number", "48 and 36"},
		"both":                           {"", "max_total_memory_gb = 24\nmin_total_memory_gb = 24", ""},
		"itself ignored":                 {"", "max_total_memory_gb = 24" + fmt.Sprintf(ignored, "max"), ""},
		"equal":                          {"", "max_total_memory_gb = 48", ""},
	}, func(t *testing.T, row struct{ adopted, arguments, got string }) {
		f := newFixture(t)
		f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["minTotalMemoryGb"], doc["maxTotalMemoryGb"] = 48, 96 })
		b := f.scaling(mockplatform.ServiceID, row.adopted)
		b.learn(cty.ObjectVal(map[string]cty.Value{"number": cty.NumberIntVal(36)}))
		if row.adopted != "-" {
			b.apply()
		}
		b.arguments = row.arguments
		r := b.tryApply()
		if row.got == "" {
			b.must(r)
			b.wantQuiet()
			return
		}
		b.refuses(r, "min_total_memory_gb must not exceed max_total_memory_gb, got "+row.got+". If only one of them changes, the platform keeps the other.")
		if isLate := strings.Contains(row.arguments, "later"); isLate != (r.action != "error") {
			t.Errorf("refused in the %s", map[bool]string{true: "plan", false: "apply"}[r.action == "error"])
		}
	})
}
