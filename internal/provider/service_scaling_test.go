package provider

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const thisScaling = "dataplatform_service_scaling.this"

// ourServices are those of the seed's first organization.
var ourServices = []string{mockplatform.ServiceID, mockplatform.ReadonlyServiceID, mockplatform.FullServiceID}

// scalingConfig is the scaling of a service with further arguments.
func scalingConfig(id, arguments string) string {
	return fmt.Sprintf(`
resource "dataplatform_service_scaling" "this" {
  service_id = %q
%s
}
`, id, arguments)
}

// scalings is the scaling of each service, in one block.
func scalings(name string, ids []string, arguments string) string {
	return fmt.Sprintf(`
resource "dataplatform_service_scaling" %q {
  for_each   = toset(["%s"])
  service_id = each.key
%s
}
`, name, strings.Join(ids, `", "`), arguments)
}

// wantValues compares attributes of the state.
func (b *managed) wantValues(want object) {
	b.t.Helper()
	for name, value := range want {
		if got := b.shown()[name]; fmt.Sprint(got) != fmt.Sprint(value) {
			b.t.Errorf("%s is %v in the state, want %v", name, got, value)
		}
	}
}

// TestScaling goes through terraform: an adoption with its warnings, a change, a
// replacement and a destroy, which leave a service as it is and say so.
func TestScaling(t *testing.T) {
	f := newFixture(t)
	const arguments = `
  num_replicas         = 3
  idle_scaling         = false
  idle_timeout_minutes = 20
  max_total_memory_gb  = 48`
	w := f.workspace(f.provider() + scalings("this", ourServices[:2], arguments))
	wantText(t, w.planText(),
		`Creating this resource overwrites current values of service "events-eu" (`+mockplatform.ServiceID+")",
		"The service already exists. These current values will be replaced: - idle_scaling (currently true) - idle_timeout_minutes (currently 15) To keep a value",
		`Creating this resource overwrites current values of service "events-eu-readers" (`+mockplatform.ReadonlyServiceID+")",
		"The service already exists. These current values will be replaced: - idle_scaling (currently true) - idle_timeout_minutes (currently 5) - max_total_memory_gb (currently 24) - num_replicas (currently 1) To keep a value",
		"The platform has deprecated this argument",
	)
	f.wantRequests("GET services")

	// Nothing is overwritten here, and the deprecated totals aren't spoken of where nobody
	// configures them.
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, `num_replicas = 3.0`))
	wantNoText(t, w.apply(), "Warning:", "overwrites", "deprecate")
	f.wantWrites()
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ServiceID, `num_replicas = 4`))
	w.apply()
	f.wantWrites(`{"numReplicas": 4}`)
	w.wantEmptyPlan()

	const summary = "Destroy does not delete services or pipes"
	keeps := func(name, id string) string {
		return fmt.Sprintf("This resource stops managing service %q (%s), which keeps its current settings on the platform.", name, id)
	}
	w.file("main.tf", f.provider()+scalingConfig(mockplatform.ReadonlyServiceID, `num_replicas = 4`))
	wantText(t, w.apply(), "forces replacement", summary, keeps("events-eu", mockplatform.ServiceID), `This replacement overwrites current values of service "events-eu-readers" (`+mockplatform.ReadonlyServiceID+")", "- num_replicas (currently 1)")
	f.wantWrites(`{"numReplicas": 4}`)
	out := w.apply("-destroy", "-refresh=false")
	if n := strings.Count(out, keeps("events-eu-readers", mockplatform.ReadonlyServiceID)); n != 2 {
		t.Errorf("%d warnings, want one in the plan and one in the apply:\n%s", n, out)
	}
	f.wantRequests()
	if doc := f.Service(mockplatform.ServiceID); fmt.Sprint(doc["numReplicas"]) != "4" {
		t.Errorf("the service left holds %v replicas", doc["numReplicas"])
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
	b.sends() // all of it matches
	b.wantValues(object{
		"organization_id": mockplatform.OrganizationID, "service_id": mockplatform.ServiceID, "num_replicas": 3, "idle_scaling": true, "idle_timeout_minutes": 15,
		"min_total_memory_gb": 24, "max_total_memory_gb": 48, "name": "events-eu", "data_warehouse_id": "30000000-0000-4000-8000-000000000001",
		"is_primary": true, "min_replica_memory_gb": 8, "max_replica_memory_gb": 16,
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
		{"max_total_memory_gb = 72", memory, []string{`{"maxTotalMemoryGb": 72}`}},
		{"min_total_memory_gb = 36\nmax_total_memory_gb = 72", memory, []string{`{"minTotalMemoryGb": 36}`}},
		{"min_total_memory_gb = 36\nmax_total_memory_gb = 72\nnum_replicas = 2", nil, []string{`{"numReplicas": 2}`}},
		{"idle_scaling = true", nil, []string{`{"idleScaling": true}`}},
		{"num_replicas = 4\nidle_timeout_minutes = 60\nlifecycle {\n  ignore_changes = [num_replicas]\n}", nil, []string{`{"idleTimeoutMinutes": 60}`}},
	} {
		b.arguments = step.arguments
		plan := b.plan()
		if got := plan.unknown(); !slices.Equal(got, step.unknown) {
			t.Errorf("%s: known after the apply is %q, want %q", step.arguments, got, step.unknown)
		}
		wantNoText(t, b.applyPlan(plan).String(), "also changed unmanaged values") // the platform derives them from the totals
		b.sends(step.sends...)
		b.wantQuiet()
	}
}

// TestScalingDrift changes a service behind Terraform's back: what is managed is planned
// back, and the rest is in the state.
func TestScalingDrift(t *testing.T) {
	f := newFixture(t)
	b := f.scaling(mockplatform.ServiceID, `num_replicas = 3`)
	b.apply()
	for _, step := range []struct {
		field string
		value any
		sends []string
		state object
	}{
		{"numReplicas", 7, []string{`{"numReplicas": 3}`}, object{"num_replicas": 3}},
		{"numReplicas", 3.5, []string{`{"numReplicas": 3}`}, object{"num_replicas": 3}},
		{"numReplicas", nil, []string{`{"numReplicas": 3}`}, object{"num_replicas": 3}}, // two lists omit it
		{"idleTimeoutMinutes", 45, nil, object{"idle_timeout_minutes": 45}},
		{"idleTimeoutMinutes", nil, nil, object{"idle_timeout_minutes": nil}},
		{"name", "events", nil, object{"name": "events"}},
		{"minReplicaMemoryGb", 8.5, nil, object{"min_replica_memory_gb": 8.5}},
	} {
		f.UpdateService(b.id, func(doc mockplatform.Document) { setMember(doc, step.field, step.value) })
		f.ResetJournal()
		b.apply()
		b.sends(step.sends...)
		b.refresh()
		b.wantValues(step.state)
		b.wantQuiet()
	}
}

// TestScalingUnderEveryResponse adopts, changes and refreshes while the platform responds in
// every way that the API document leaves open.
func TestScalingUnderEveryResponse(t *testing.T) {
	updates := []mockplatform.Operation{mockplatform.UpdateScaling}
	for name, behave := range map[string]func(*mockplatform.Behaviour){
		"numbers as exponents": func(b *mockplatform.Behaviour) { b.Responses.Numbers = mockplatform.NumbersAsExponents },
		"unknown members":      func(b *mockplatform.Behaviour) { b.Responses.UnknownMembers = true },
		"bare envelope":        func(b *mockplatform.Behaviour) { b.Responses.OmitEnvelope = []string{"status", "requestId"} },
		"sparse updates": func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = []mockplatform.Sparse{{Path: "**", Operations: updates}}
		},
		"no result":   func(b *mockplatform.Behaviour) { b.Responses.PatchResult = mockplatform.ResultMissing },
		"past result": func(b *mockplatform.Behaviour) { b.Responses.PatchResult = mockplatform.ResultBefore },
		"never returned": func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = []mockplatform.Sparse{{Path: "numReplicas"}, {Path: "idleScaling"}, {Path: "isPrimary", Null: true}}
		},
		"missing once": func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = []mockplatform.Sparse{{Path: "numReplicas", Times: 1}}
		},
		"empty values are omitted": func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = leanPlatforms["omits what is empty"]
		},
		"resets": func(b *mockplatform.Behaviour) { b.Patches.Resets = mockplatform.Resets{TopLevel: true} },
		"resets, absent": func(b *mockplatform.Behaviour) {
			b.Patches.Resets = mockplatform.Resets{TopLevel: true, To: mockplatform.ToAbsent}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(behave)
			f.UpdateService(mockplatform.FullServiceID, func(doc mockplatform.Document) { doc["idleScaling"] = true })
			b, idle := f.scaling(mockplatform.FullServiceID, ""), name == "resets, absent"
			for _, replicas := range []int{6, 7} {
				r := b.applyAs(fmt.Sprintf("num_replicas = %d\nidle_scaling = %t", replicas, idle))
				if doc := f.Service(b.id); fmt.Sprint(doc["numReplicas"]) != fmt.Sprint(replicas) || doc["idleScaling"] != idle {
					t.Errorf("the platform holds %v, %v", doc["numReplicas"], doc["idleScaling"])
				}
				b.wantValues(object{"num_replicas": replicas, "idle_scaling": idle, "name": "ledger-us"})
				b.wantQuiet()
				if strings.HasPrefix(name, "resets") && replicas == 6 {
					wantText(t, r.String(), `Updating service "ledger-us" (`+b.id+") also changed unmanaged values", "- idle_timeout_minutes: was 30, is now", "- max_total_memory_gb: was 360, is now")
				}
			}
		})
	}
}

// TestHiddenValue sets the idle timeout of a service that does not return it while idle
// scaling is off: a warning each time it is sent, and the planned value in the state.
func TestHiddenValue(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Responses.Sparse = []mockplatform.Sparse{{Path: "idleTimeoutMinutes", While: "idleScaling", Is: false}}
	})
	b := f.scaling(mockplatform.ServiceID, "")
	for _, step := range []struct {
		arguments, sent string
		timeout         int
		warns           bool
	}{
		{"idle_scaling = false\n  idle_timeout_minutes = 20", `{"idleScaling": false, "idleTimeoutMinutes": 20}`, 20, true},
		{"idle_scaling = false\n  idle_timeout_minutes = 20\n  num_replicas = 4", `{"numReplicas": 4}`, 20, false},
		{"idle_scaling = false\n  idle_timeout_minutes = 25\n  num_replicas = 4", `{"idleTimeoutMinutes": 25}`, 25, true},
		{"idle_scaling = true\n  idle_timeout_minutes = 25\n  num_replicas = 4", `{"idleScaling": true}`, 25, false},
	} {
		r := b.applyAs(step.arguments)
		said := folded(strings.Join(r.warnings, " "))
		if strings.Contains(said, "API does not return all values of service \"events-eu\" ("+b.id+")") != step.warns {
			t.Errorf("%s: warnings %q", step.arguments, r.warnings)
		}
		if step.warns {
			wantText(t, said, "neither its response nor a further read contains them", ": - idle_timeout_minutes The state has the planned values.")
		}
		// Plan and apply read once each. What is missing in the response is read once more.
		if lists, want := len(f.RequestsOf(mockplatform.ListServices)), map[bool]int{true: 3, false: 2}[step.warns]; lists != want {
			t.Errorf("%s: %d reads, want %d", step.arguments, lists, want)
		}
		b.sends(step.sent)
		b.wantValues(object{"idle_timeout_minutes": step.timeout})
		b.wantQuiet()
		f.ResetJournal()
	}
	if got := f.Service(b.id)["idleTimeoutMinutes"]; fmt.Sprint(got) != "25" {
		t.Errorf("the platform has a timeout of %v", got)
	}
}

// TestScalingUnknown has IDs and values that are known only when applied: what needs them
// waits, and every check that the plan skipped is made before anything is sent.
func TestScalingUnknown(t *testing.T) {
	f := newFixture(t)
	b := f.scaling("", `
  organization_id = later.organization
  service_id      = later.service
  num_replicas    = later.replicas`)
	b.id = mockplatform.ServiceID
	delete(b.ids, "service_id")
	known := func(service string, replicas float64) {
		b.learn(cty.ObjectVal(map[string]cty.Value{"service": cty.StringVal(service), "replicas": cty.NumberFloatVal(replicas), "organization": cty.StringVal(mockplatform.OrganizationID)}))
	}
	for _, bad := range []struct {
		service  string
		replicas float64
		says     string
	}{
		{mockplatform.ServiceID, 21, "num_replicas must be between 1 and 20, got 21."},
		{mockplatform.ServiceID, 2.5, "num_replicas must be a whole number between 1 and 20, got 2.5."},
		{"events-eu", 4, "service_id must be a UUID"},
		{"29999999-0000-4000-8000-000000000009", 4, "There is no service 29999999-0000-4000-8000-000000000009 in organization " + mockplatform.OrganizationID},
	} {
		known(bad.service, bad.replicas)
		plan := b.plan()
		f.wantRequests()
		b.carryOut(f.start(), plan)
		b.refuses(plan, bad.says)
		f.ResetJournal()
	}
	known(mockplatform.ServiceID, 4)
	b.apply()
	b.sends(`{"numReplicas": 4}`)
	b.wantQuiet()
}

// TestScalingReplicasOfAPrimary has the platform's rule that depends on the organization's
// tier: a warning, and no error.
func TestScalingReplicasOfAPrimary(t *testing.T) {
	for id, warning := range map[string]string{
		mockplatform.ServiceID: `Fewer than 2 replicas for service "events-eu" (` + mockplatform.ServiceID + ")", mockplatform.ReadonlyServiceID: "",
	} {
		t.Run(id, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(func(b *mockplatform.Behaviour) { b.AllowSingleReplica = true })
			f.UpdateService(id, func(doc mockplatform.Document) { doc["numReplicas"] = 2 })
			b := f.scaling(id, `num_replicas = 2`)
			b.apply()
			b.arguments = `num_replicas = 1`
			wantWarning(t, b.plan().warnings, warning)
			b.apply()
			b.wantQuiet() // what the tier allowed isn't warned about for ever
		})
	}
}

// TestScalingRejected has what the platform alone can reject, through terraform: at the
// attribute that it names.
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

	// Nothing is left in the state, and nothing tainted: the next apply adopts anew. A
	// rejected change leaves the state as the platform is.
	b := f.scaling(mockplatform.ServiceID, "max_total_memory_gb = 372")
	if got := w.states(); len(got) != 0 || len(b.tryApply().errors) != 1 || !b.state.IsNull() {
		t.Errorf("left in state: %q, %v", got, b.state)
	}
	f.ResetJournal()
	b.applyAs("max_total_memory_gb = 360")
	b.sends(`{"maxTotalMemoryGb": 360}`)
	b.arguments = "max_total_memory_gb = 372"
	if r := b.tryApply(); len(r.errors) != 1 {
		t.Errorf("%d errors: %q", len(r.errors), r.errors)
	}
	b.arguments = "max_total_memory_gb = 360"
	f.ResetJournal()
	b.wantQuiet()
}

// TestScalingLetterCase names a service in capitals: it is the same one.
func TestScalingLetterCase(t *testing.T) {
	const lower = "2000000a-000b-4000-8000-00000000000c"
	f := newFixture(t)
	doc := f.Service(mockplatform.FullServiceID)
	doc["id"] = lower
	f.SetService(mockplatform.OrganizationID, doc)
	b := f.scaling(lower, `num_replicas = 6`)
	b.ids["service_id"] = cty.StringVal(strings.ToUpper(lower))
	b.apply()
	b.wantQuiet()
	f.wantWrites(`{"numReplicas": 6}`)
	b.ids["service_id"] = cty.StringVal(lower)
	b.wantQuiet()
	f.wantWrites()
}
