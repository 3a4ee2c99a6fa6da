package provider

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const thisScaling = "dataplatform_service_scaling.this"

// scalingConfig is the scaling of a service with further arguments.
func scalingConfig(id, arguments string) string {
	return fmt.Sprintf(`
resource "dataplatform_service_scaling" "this" {
  service_id = %q
%s
}
`, id, arguments)
}

// wantRequests compares the requests since the journal was reset, each as
// method and what follows the organization, and resets it.
func (f *fixture) wantRequests(want ...string) {
	f.t.Helper()
	var got []string
	for _, r := range f.Requests() {
		_, rest, _ := strings.Cut(r.Path, "/organizations/")
		_, rest, _ = strings.Cut(rest, "/")
		got = append(got, r.Method+" "+rest)
	}
	f.ResetJournal()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		f.t.Errorf("requests:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// values is what a state has to hold, attribute by attribute.
func values(address string, want map[string]any) []statecheck.StateCheck {
	var checks []statecheck.StateCheck
	for name, value := range want {
		checks = append(checks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), exactly(value)))
	}
	return checks
}

func exactly(value any) knownvalue.Check {
	switch v := value.(type) {
	case nil:
		return knownvalue.Null()
	case string:
		return knownvalue.StringExact(v)
	case bool:
		return knownvalue.Bool(v)
	case int:
		return knownvalue.Int64Exact(int64(v))
	case float64:
		return knownvalue.Float64Exact(v)
	default:
		panic(fmt.Sprintf("no check for %T", value))
	}
}

func TestScalingAdoptsWhatMatchesWithoutAWrite(t *testing.T) {
	for name, arguments := range map[string]string{
		"nothing declared": ``,
		"some declared":    `num_replicas = 3.0`,
		"all declared": `
  num_replicas         = 3
  idle_scaling         = true
  idle_timeout_minutes = 15
  min_total_memory_gb  = 24
  max_total_memory_gb  = 48`,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.run(resource.TestStep{
				Config: f.provider() + scalingConfig(mockplatform.ServiceID, arguments),
				Check:  f.wrote(),
				ConfigStateChecks: values(thisScaling, map[string]any{
					"organization_id":       mockplatform.OrganizationID,
					"service_id":            mockplatform.ServiceID,
					"num_replicas":          3,
					"idle_scaling":          true,
					"idle_timeout_minutes":  15,
					"min_total_memory_gb":   24,
					"max_total_memory_gb":   48,
					"name":                  "events-eu",
					"data_warehouse_id":     "30000000-0000-4000-8000-000000000001",
					"is_primary":            true,
					"min_replica_memory_gb": 8,
					"max_replica_memory_gb": 16,
				}),
			})
		})
	}
}

// TestScalingSendsWhatDiffers has, step by step, the one PATCH that a change
// makes.
func TestScalingSendsWhatDiffers(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.Patches.MovesReplicaMemory = true })
	step := func(arguments string, writes ...string) resource.TestStep {
		return resource.TestStep{
			PreConfig: f.ResetJournal,
			Config:    f.provider() + scalingConfig(mockplatform.ServiceID, arguments),
			Check:     f.wrote(writes...),
		}
	}
	f.run(
		step(`
  num_replicas         = 3
  idle_scaling         = false
  idle_timeout_minutes = 15`, `{"idleScaling": false}`),
		step(`
  num_replicas         = 5
  idle_scaling         = false
  idle_timeout_minutes = 20`, `{"numReplicas": 5, "idleTimeoutMinutes": 20}`),
		// Leaving the configuration leaves the value alone.
		step(``),
		// The deprecated totals are sent when they are configured, as they are.
		step(`max_total_memory_gb = 72`, `{"maxTotalMemoryGb": 72}`),
		step("min_total_memory_gb = 36\nmax_total_memory_gb = 72", `{"minTotalMemoryGb": 36}`),
		step("min_total_memory_gb = 36\nmax_total_memory_gb = 72\nnum_replicas = 2", `{"numReplicas": 2}`),
		// A value that is false and one that was false already.
		step("idle_scaling = true", `{"idleScaling": true}`),
	)
}

// TestScalingPlan has what a plan shows as known after apply: the memory of a
// replica where the totals change, and nothing else.
func TestScalingPlan(t *testing.T) {
	f := newFixture(t)
	f.Configure(func(b *mockplatform.Behaviour) { b.Patches.MovesReplicaMemory = true })
	computed := []string{"name", "data_warehouse_id", "is_primary", "organization_id"}
	memory := []string{"min_replica_memory_gb", "max_replica_memory_gb"}
	settable := []string{"num_replicas", "idle_scaling", "idle_timeout_minutes", "min_total_memory_gb", "max_total_memory_gb"}
	step := func(arguments string, moves bool) resource.TestStep {
		checks := []plancheck.PlanCheck{plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionUpdate)}
		known := append(append([]string{}, computed...), settable...)
		for _, name := range memory {
			if moves {
				checks = append(checks, plancheck.ExpectUnknownValue(thisScaling, tfjsonpath.New(name)))
			} else {
				known = append(known, name)
			}
		}
		for _, name := range known {
			checks = append(checks, plancheck.ExpectKnownValue(thisScaling, tfjsonpath.New(name), knownvalue.NotNull()))
		}
		return resource.TestStep{
			Config:           f.provider() + scalingConfig(mockplatform.ServiceID, arguments),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks},
		}
	}
	f.run(
		resource.TestStep{Config: f.provider() + scalingConfig(mockplatform.ServiceID, ``)},
		step(`idle_scaling = false`, false),
		step(`idle_timeout_minutes = 60`, false),
		step(`num_replicas = 4`, false),
		step(`max_total_memory_gb = 96`, true),
		step(`min_total_memory_gb = 48`, true),
	)
}

func TestScalingDrift(t *testing.T) {
	f := newFixture(t)
	config := f.provider() + scalingConfig(mockplatform.ServiceID, `num_replicas = 3`)
	drift := func(member string, value any) func() {
		return func() {
			f.ResetJournal()
			f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc[member] = value })
		}
	}
	f.run(
		resource.TestStep{Config: config},
		// What is managed is planned back.
		resource.TestStep{
			PreConfig:        drift("numReplicas", 7),
			Config:           config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(thisScaling, plancheck.ResourceActionUpdate)}},
			Check:            f.wrote(`{"numReplicas": 3}`),
		},
		// What isn't is shown in the state and planned nowhere.
		resource.TestStep{
			PreConfig:         drift("idleTimeoutMinutes", 45),
			Config:            config,
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:             f.wrote(),
			ConfigStateChecks: values(thisScaling, map[string]any{"idle_timeout_minutes": 45}),
		},
		resource.TestStep{
			PreConfig:         drift("name", "events"),
			Config:            config,
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: values(thisScaling, map[string]any{"name": "events"}),
		},
		// A fraction, where the platform should have none, breaks nothing.
		resource.TestStep{
			PreConfig:         drift("minReplicaMemoryGb", 8.5),
			Config:            config,
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			ConfigStateChecks: values(thisScaling, map[string]any{"min_replica_memory_gb": 8.5}),
		},
		resource.TestStep{
			PreConfig: drift("numReplicas", 3.5),
			Config:    config,
			Check:     f.wrote(`{"numReplicas": 3}`),
		},
		// What reads told and two of them omit is empty: drift where it is
		// managed.
		resource.TestStep{
			PreConfig: func() {
				f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) {
					delete(doc, "numReplicas")
					doc["idleTimeoutMinutes"] = nil
				})
			},
			Config: config,
			Check:  f.wrote(`{"numReplicas": 3}`),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(thisScaling, tfjsonpath.New("num_replicas"), knownvalue.Int64Exact(3)),
				statecheck.ExpectKnownValue(thisScaling, tfjsonpath.New("idle_timeout_minutes"), knownvalue.Null()),
			},
		},
	)
}

func TestScalingIgnoreChanges(t *testing.T) {
	const ignoring = "num_replicas = 4\nidle_timeout_minutes = %d\nlifecycle { ignore_changes = [num_replicas] }"
	f := newFixture(t)
	config := func(minutes int) string {
		return f.provider() + scalingConfig(mockplatform.ServiceID, fmt.Sprintf(ignoring, minutes))
	}
	f.run(
		resource.TestStep{Config: config(15), Check: f.wrote(`{"numReplicas": 4}`)},
		resource.TestStep{
			PreConfig: func() {
				f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 9 })
			},
			Config:            config(30),
			Check:             f.wrote(`{"idleTimeoutMinutes": 30}`),
			ConfigStateChecks: values(thisScaling, map[string]any{"num_replicas": 9}),
		},
	)
}

// TestScalingUnderEveryAnswer adopts, changes and refreshes while the platform
// answers in every way that the API document leaves open.
func TestScalingUnderEveryAnswer(t *testing.T) {
	behaviours := map[string]func(*mockplatform.Behaviour){
		"numbers as floats":    func(b *mockplatform.Behaviour) { b.Answers.Numbers = mockplatform.NumbersAsFloats },
		"numbers as exponents": func(b *mockplatform.Behaviour) { b.Answers.Numbers = mockplatform.NumbersAsExponents },
		"unknown members":      func(b *mockplatform.Behaviour) { b.Answers.UnknownMembers = true },
		"bare envelope":        func(b *mockplatform.Behaviour) { b.Answers.OmitEnvelope = []string{"status", "requestId"} },
		"sparse updates": func(b *mockplatform.Behaviour) {
			b.Answers.Sparse = []mockplatform.Sparse{{Path: "**", Operations: []mockplatform.Operation{mockplatform.UpdateScaling}}}
		},
		"null updates": func(b *mockplatform.Behaviour) {
			b.Answers.Sparse = []mockplatform.Sparse{{Path: "*", Null: true, Operations: []mockplatform.Operation{mockplatform.UpdateScaling}}}
		},
		"never told": func(b *mockplatform.Behaviour) {
			b.Answers.Sparse = []mockplatform.Sparse{{Path: "numReplicas"}, {Path: "idleScaling"}, {Path: "isPrimary", Null: true}}
		},
		"missing once": func(b *mockplatform.Behaviour) {
			b.Answers.Sparse = []mockplatform.Sparse{{Path: "numReplicas", Times: 1}}
		},
		"resets": func(b *mockplatform.Behaviour) { b.Patches.Resets = mockplatform.Resets{TopLevel: true} },
	}
	for name, behave := range behaviours {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Configure(behave)
			config := func(replicas int) string {
				return f.provider() + scalingConfig(mockplatform.FullServiceID, fmt.Sprintf("num_replicas = %d\nidle_scaling = false", replicas))
			}
			stored := func(replicas string) resource.TestCheckFunc {
				return func(*terraform.State) error {
					doc := f.Service(mockplatform.FullServiceID)
					if fmt.Sprint(doc["numReplicas"]) != replicas || doc["idleScaling"] != false {
						return fmt.Errorf("the platform holds %v, %v", doc["numReplicas"], doc["idleScaling"])
					}
					return nil
				}
			}
			f.run(
				resource.TestStep{
					Config: config(6), Check: stored("6"),
					ConfigStateChecks: values(thisScaling, map[string]any{"num_replicas": 6, "idle_scaling": false, "name": "ledger-us"}),
				},
				resource.TestStep{
					Config: config(7), Check: stored("7"),
					ConfigStateChecks: values(thisScaling, map[string]any{"num_replicas": 7, "idle_scaling": false, "name": "ledger-us"}),
				},
			)
		})
	}
}
