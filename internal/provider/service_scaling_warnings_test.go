package provider

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// wantNoText fails if the output has one of these texts. An empty output has
// none of any.
func wantNoText(t *testing.T, out string, texts ...string) {
	t.Helper()
	if len(texts) == 0 || strings.TrimSpace(out) == "" {
		t.Error("the test looks for no text, or in none")
	}
	for _, text := range texts {
		if strings.Contains(out, text) {
			t.Errorf("%q in\n%s", text, out)
		}
	}
}

// planText is what a person sees of a plan.
func (w *workspace) planText(args ...string) string {
	w.t.Helper()
	out, ok := w.terraform(append([]string{"plan", "-input=false"}, args...)...)
	if !ok {
		w.t.Fatalf("plan failed:\n%s", out)
	}
	return out
}

// TestScalingAdoptionWarns has the warnings of a first plan: what it
// overwrites, with the values now, and nothing of what stays.
func TestScalingAdoptionWarns(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + scalings("this", ourServices[:2], `
  num_replicas         = 3
  idle_scaling         = false
  idle_timeout_minutes = 20
  max_total_memory_gb  = 48`))
	out := w.planText()
	wantText(t, out,
		`Creating this resource overwrites current values of service "events-eu" (`+mockplatform.ServiceID+")",
		"The service already exists. These current values will be replaced: - idle_scaling (currently true) - idle_timeout_minutes (currently 15) To keep a value",
		`Creating this resource overwrites current values of service "events-eu-readers" (`+mockplatform.ReadonlyServiceID+")",
		"The service already exists. These current values will be replaced: - idle_scaling (currently true) - idle_timeout_minutes (currently 5) - max_total_memory_gb (currently 24) - num_replicas (currently 1) To keep a value",
		"The platform has deprecated this argument",
	)
	f.wantRequests("GET services")

	// The same is adopted without a warning where nothing is overwritten, and
	// the deprecated totals aren't spoken of where nobody configures them.
	w.file("main.tf", f.provider()+scalings("this", ourServices[:1], `num_replicas = 3`))
	out = w.planText()
	wantNoText(t, out, "Warning:", "overwrites", "deprecate")
}

// TestScalingReplicasOfAPrimary has the platform's rule that depends on the
// organization's tier: a warning, and no error.
func TestScalingReplicasOfAPrimary(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.AllowSingleReplica = true })
	f.UpdateService(mockplatform.ReadonlyServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 2 })
	w := f.workspace(f.provider() + scalings("this", ourServices, `num_replicas = 1`))
	out := w.planText()
	wantText(t, out,
		`Fewer than 2 replicas for service "events-eu" (`+mockplatform.ServiceID+")",
		`Fewer than 2 replicas for service "ledger-us" (`+mockplatform.FullServiceID+")",
		"between 2 and 20 replicas",
	)
	wantNoText(t, out, `Fewer than 2 replicas for service "events-eu-readers" (`+mockplatform.ReadonlyServiceID+")")
	w.apply()
	// What the tier allowed isn't warned of for ever.
	wantNoText(t, w.planText(), "Fewer than 2 replicas")

	// A change warns like an adoption, and so does a value known only when it
	// is applied.
	w.file("main.tf", f.provider()+scalings("this", ourServices[:1], `num_replicas = 2`))
	w.apply()
	w.file("main.tf", f.provider()+scalings("this", ourServices[:1], `num_replicas = terraform_data.one.output`)+`
resource "terraform_data" "one" {
  input = 1
}
`)
	wantText(t, w.apply(), `Fewer than 2 replicas for service "events-eu" (`+mockplatform.ServiceID+")")
}

// TestScalingRejected has what the platform alone can reject, at the attribute
// that it names.
func TestScalingRejected(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.NonPaid = true })
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "idle_scaling = true\nmax_total_memory_gb = 372"))
	out, ok := w.terraform("apply", "-auto-approve")
	if ok {
		t.Fatalf("the apply succeeded:\n%s", out)
	}
	// Terraform prints the line of the attribute that an error stands at.
	at := regexp.MustCompile(`Error: Cannot update service .{0,120}: \d+: max_total_memory_gb = 372 `)
	if !at.MatchString(out) {
		t.Errorf("no error at max_total_memory_gb:\n%s", out)
	}
	wantText(t, out, "HTTP 400", mockplatform.ServiceID)

	// Nothing is left in the state, and nothing tainted: the next apply adopts
	// anew.
	if got := w.states(); len(got) != 0 {
		t.Errorf("left in state: %q", got)
	}
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, "max_total_memory_gb = 360"))
	f.ResetJournal()
	wantNoText(t, w.apply(), "tainted", "must be replaced")
	f.wantWrites(`{"maxTotalMemoryGb": 360}`)

	// A rejected change leaves the state as the platform is.
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, "max_total_memory_gb = 372"))
	if out, ok := w.terraform("apply", "-auto-approve"); ok {
		t.Fatalf("the apply succeeded:\n%s", out)
	}
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, "max_total_memory_gb = 360"))
	w.wantEmptyPlan()
}

// TestScalingTakenOtherwise has a platform that accepts a value and stores
// another one, or moves what nobody owns.
func TestScalingTakenOtherwise(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{
			{Operation: mockplatform.UpdateScaling, Path: "idleTimeoutMinutes", To: func(any) any { return 60 }},
			{Operation: mockplatform.UpdateScaling, Path: "minTotalMemoryGb", Unsent: true, To: func(any) any { return 36 }},
			{Operation: mockplatform.UpdateScaling, Path: "minReplicaMemoryGb", Unsent: true, To: func(any) any { return 12 }},
		}
	})
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, "idle_timeout_minutes = 20"))
	out, ok := w.terraform("apply", "-auto-approve")
	if ok {
		t.Fatalf("the apply succeeded:\n%s", out)
	}
	wantText(t, out,
		`API stored a different value for idle_timeout_minutes of service "events-eu" (`+mockplatform.ServiceID+")",
		"the API returned another value: 60.")
	wantNoText(t, out, "inconsistent result")

	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, "idle_timeout_minutes = 60\nidle_scaling = false"))
	f.ResetJournal()
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["minTotalMemoryGb"], doc["minReplicaMemoryGb"] = 24, 8 })
	out = w.apply()
	wantText(t, out,
		`Updating service "events-eu" (`+mockplatform.ServiceID+") also changed unmanaged values",
		"- min_replica_memory_gb: was 8, is now 12 - min_total_memory_gb: was 24, is now 36")
	f.wantWrites(`{"idleScaling": false}`)
	w.wantEmptyPlan()

	// With the total memory, that of each replica moves: that is no surprise.
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["minReplicaMemoryGb"] = 8 })
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, "max_total_memory_gb = 96"))
	wantNoText(t, w.apply(), "also changed unmanaged values")
}

// TestScalingUnderResets has a platform that resets whatever a PATCH omits.
func TestScalingUnderResets(t *testing.T) {
	for to, idle := range map[mockplatform.ResetTo]bool{mockplatform.ToInitial: false, mockplatform.ToAbsent: true} {
		t.Run(fmt.Sprintf("to %q", to), func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Patches.Resets = mockplatform.Resets{TopLevel: true, To: to}
			})
			f.UpdateService(mockplatform.FullServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = idle })
			owned := "num_replicas = %d\nidle_scaling = " + fmt.Sprint(idle)
			w := f.workspace(f.provider() + scalingConfig(mockplatform.FullServiceID, fmt.Sprintf(owned, 5)))
			w.apply()
			f.wantWrites() // adopted as it is
			w.file("main.tf", f.provider()+scalingConfig(mockplatform.FullServiceID, fmt.Sprintf(owned, 6)))
			out := w.apply()
			// What is owned and was reset is corrected with all that is owned.
			f.wantWrites(`{"numReplicas": 6}`, fmt.Sprintf(`{"numReplicas": 6, "idleScaling": %t}`, idle))
			wantText(t, out,
				`Updating service "ledger-us" (`+mockplatform.FullServiceID+") also changed unmanaged values",
				"- idle_timeout_minutes: was 30, is now", "- max_total_memory_gb: was 360, is now", "- min_total_memory_gb: was 72, is now")
			wantNoText(t, out, "- idle_scaling", "- num_replicas")
			w.wantEmptyPlan()
		})
	}
}

// TestScalingLeaves destroys and replaces: both leave a service as it is, and
// say so.
func TestScalingLeaves(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(f.provider() + scalingConfig(mockplatform.ServiceID, `num_replicas = 4`))
	w.apply()
	f.ResetJournal()
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ReadonlyServiceID, `num_replicas = 4`))
	const summary = "Destroy does not delete services or pipes"
	keeps := func(name, id string) string {
		return fmt.Sprintf("This resource stops managing service %q (%s), which keeps its current settings on the platform.", name, id)
	}
	wantText(t, w.planText(), "forces replacement", summary, keeps("events-eu", mockplatform.ServiceID), `This replacement overwrites current values of service "events-eu-readers" (`+mockplatform.ReadonlyServiceID+")", "- num_replicas (currently 1)")
	wantText(t, w.apply(), summary, keeps("events-eu", mockplatform.ServiceID))
	f.wantWrites(`{"numReplicas": 4}`)

	wantText(t, w.planText("-destroy"), keeps("events-eu-readers", mockplatform.ReadonlyServiceID))
	f.ResetJournal()
	wantText(t, w.apply("-destroy", "-refresh=false"), keeps("events-eu-readers", mockplatform.ReadonlyServiceID))
	f.wantRequests()
	if doc := f.Service(mockplatform.ServiceID); fmt.Sprint(doc["numReplicas"]) != "4" {
		t.Errorf("the service left holds %v replicas", doc["numReplicas"])
	}
}

// TestScalingLetterCase names a service in capitals: it is the same one.
func TestScalingLetterCase(t *testing.T) {
	const lower = "2000000a-000b-4000-8000-00000000000c"
	f := newFixture(t)
	doc := f.Service(mockplatform.FullServiceID)
	doc["id"] = lower
	f.SetService(mockplatform.OrganizationID, doc)
	w := f.workspace(f.provider() + scalingConfig(strings.ToUpper(lower), `num_replicas = 6`))
	w.apply()
	w.wantEmptyPlan()
	f.wantWrites(`{"numReplicas": 6}`)
	w.file("main.tf", f.provider()+scalingConfig(lower, `num_replicas = 6`))
	w.wantEmptyPlan()
	f.wantWrites()
	if n := f.Count(http.MethodPatch, ""); n != 0 {
		t.Errorf("%d writes", n)
	}
}
