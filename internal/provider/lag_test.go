package provider

import (
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestUpdatesDespiteResponsesOfThePast has a platform whose responses are of the past, that never does what it
// accepts, or that is busy: each of these updates once left a table without its mapping, or
// ended in an error that advised to configure the old value.
func TestUpdatesDespiteResponsesOfThePast(t *testing.T) {
	t.Parallel()
	const lag = 3 * time.Second
	late := func(f *fixture) { f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Lag = lag }) }
	excluded := mappings(wanted("public.customers", "customers", `excluded_columns = ["password_hash", "phone", "ssn"], use_custom_sorting_key = true, sorting_keys = ["country", "id"]`), addressesMapping, leadsMapping)
	lost := mockplatform.Fault{Method: http.MethodPatch, Operation: mockplatform.UpdatePipe, After: true, Status: http.StatusBadGateway}
	for name, test := range map[string]struct {
		block     func(f *fixture) *managed
		arguments string
		platform  func(f *fixture)
		writes    int
		most      time.Duration
		says      []string // nothing, if it is empty: the apply is quiet, and the next plan empty
	}{
		"one more excluded column":            {(*fixture).mappedPipe, excluded, late, 2, 8 * time.Second, nil},
		"a rename":                            {(*fixture).mappedPipe, seedMappings + "\nname = \"new\"", late, 1, 4 * time.Second, nil},
		"an adoption that renames":            {func(f *fixture) *managed { return f.pipe(mockplatform.KafkaPipeID, "") }, `name = "new"`, late, 1, 4 * time.Second, nil},
		"replicas":                            {func(f *fixture) *managed { return f.scaling(mockplatform.ServiceID, "") }, `num_replicas = 7`, late, 1, 4 * time.Second, nil},
		"the response to the removal is lost": {(*fixture).mappedPipe, excluded, func(f *fixture) { late(f); f.Inject(lost) }, 2, 12 * time.Second, nil},
		"a removal that is never there": {(*fixture).mappedPipe, excluded, func(f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) { b.Responses.Lag = time.Hour })
		}, 1, 31 * time.Second, []string{
			"API does not show the change to source.postgres.table_mappings", "is only partly updated",
			`public.customers to customers: excluded_columns = ["password_hash", "phone"], sorting_keys = ["country", "id"], use_custom_sorting_key = true`,
		}},
		"replicas that are never there": {func(f *fixture) *managed { return f.scaling(mockplatform.ServiceID, "") }, `num_replicas = 7`, func(f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdateScaling, Path: "numReplicas", To: func(any) any { return 3 }}}
			})
		}, 1, 31 * time.Second, []string{"API does not show the change to num_replicas", "the value from before, 3, in reads for 30s"}},
		"no response has how mappings are sorted": {(*fixture).mappedPipe, excluded, func(f *fixture) {
			f.Configure(func(b *mockplatform.Behaviour) {
				b.Responses.Sparse = []mockplatform.Sparse{{Path: tableMappings + ".useCustomSortingKey"}}
			})
		}, 2, 0, nil},
		"the pipe is busy": {(*fixture).mappedPipe, seedMappings + "\nname = \"new\"", func(f *fixture) {
			f.Inject(mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusLocked, Times: 2})
		}, 3, 3 * time.Second, nil},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			b := test.block(f)
			test.platform(f)
			b.arguments = test.arguments
			r := b.plan()
			f.ResetJournal()
			begun := time.Now()
			b.carryOut(b.start(), r)
			if took := time.Since(begun); took > test.most {
				t.Errorf("it took %s", took)
			}
			if got := len(f.Writes()); got != test.writes {
				t.Errorf("%d PATCHes: %q", got, f.Writes())
			}
			if len(test.says) > 0 {
				wantText(t, strings.Join(r.errors, "\n"), test.says...)
				return
			}
			if len(r.errors) > 0 {
				t.Fatalf("errors %q", r.errors)
			}
			b.wantQuiet()
		}))
	}
}

// TestUpdatesDespiteOutdatedReplicas plays updates on a platform that answers from replicas: each of the first answers
// of an apply is as of now, or as of before the last PATCH, or before the first one.
func TestUpdatesDespiteOutdatedReplicas(t *testing.T) {
	t.Parallel()
	const answers = 6
	for _, plan := range smallPlans {
		for since, sinceFirst := range map[string]bool{"the last PATCH": false, "the first PATCH": true} {
			t.Run(plan.title+", before "+since, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					b := smallBaseOf(t, plan, smallPlatforms[0])
					for pattern := range 1 << answers {
						w := b.world()
						w.old = func(answer int) bool { return pattern>>answer&1 == 1 }
						w.oldest = sinceFirst
						if wrong := b.play(w); len(wrong) > 0 {
							t.Fatalf("pattern %06b: %s\n%s", pattern, strings.Join(wrong, "\n"), w.story())
						}
					}
				})
			})
		}
	}
}

// TestSmallWorldsWithTwoFaults plays worlds with two faults and two acts of a colleague, drawn from a fixed
// seed: a few of them in make test, 20,000 in make soak.
func TestSmallWorldsWithTwoFaults(t *testing.T) {
	t.Parallel()
	worlds := 200
	if os.Getenv("SOAK_DURATION") != "" {
		worlds = 20000
	}
	for i, plan := range smallPlans {
		t.Run(plan.title, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(i), 2))
			platforms := map[int][][2]smallTrouble{}
			for range worlds / len(smallPlans) {
				var trouble [2]smallTrouble
				for n := range trouble {
					trouble[n] = randomTrouble(random)
				}
				at := random.IntN(len(smallPlatforms))
				platforms[at] = append(platforms[at], trouble)
			}
			for at, troubles := range platforms {
				synctest.Test(t, func(t *testing.T) {
					b := smallBaseOf(t, plan, smallPlatforms[at])
					for _, trouble := range troubles {
						w := b.world()
						w.troubles = trouble[:]
						if wrong := b.play(w); len(wrong) > 0 {
							t.Fatalf("%s, %v:\n%s\n%s", smallPlatforms[at].title, trouble, strings.Join(wrong, "\n"), w.story())
						}
					}
				})
			}
		})
	}
}

// randomTrouble is a fault and an act, or one of them.
func randomTrouble(random *rand.Rand) smallTrouble {
	const requests = 8
	trouble := smallTrouble{faultAt: random.IntN(requests), actsBefore: random.IntN(requests), table: []string{"users", "orders"}[random.IntN(2)]}
	if random.IntN(4) > 0 {
		trouble.fault = smallFaults[random.IntN(len(smallFaults))]
	}
	if random.IntN(4) > 0 {
		trouble.colleague = slices.Sorted(maps.Keys(smallColleagues))[random.IntN(len(smallColleagues))]
		if random.IntN(3) == 0 {
			trouble.actsBefore, trouble.after = -1, time.Duration(random.IntN(40))*time.Second
		}
	}
	return trouble
}
