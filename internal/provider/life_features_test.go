package provider

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// The features that a platform may have, by name; a name may have an argument
// after a colon.
var lifeFeatures = map[string]func(b *mockplatform.Behaviour, arg string){
	"resets-top":    func(b *mockplatform.Behaviour, _ string) { b.Patches.Resets.TopLevel = true },
	"resets-nested": func(b *mockplatform.Behaviour, _ string) { b.Patches.Resets.Nested = true },
	"resets-to":     func(b *mockplatform.Behaviour, arg string) { b.Patches.Resets.To = mockplatform.ResetTo(arg) },
	"omits-empty": func(b *mockplatform.Behaviour, arg string) {
		b.Answers.Sparse = append(b.Answers.Sparse, mockplatform.Sparse{
			Path: "**", OnlyEmpty: true, Zeros: strings.Contains(arg, "z"), EmptyObjects: strings.Contains(arg, "o"), Null: strings.Contains(arg, "n"),
		})
	},
	"omits-always": func(b *mockplatform.Behaviour, arg string) {
		b.Answers.Sparse = append(b.Answers.Sparse, mockplatform.Sparse{Path: arg})
	},
	"omits-in-reads": func(b *mockplatform.Behaviour, arg string) {
		b.Answers.Sparse = append(b.Answers.Sparse, mockplatform.Sparse{Path: arg, Operations: lifeReads})
	},
	"omits-in-patches": func(b *mockplatform.Behaviour, arg string) {
		b.Answers.Sparse = append(b.Answers.Sparse, mockplatform.Sparse{Path: arg, Operations: lifePatches})
	},
	"shuffles":     func(b *mockplatform.Behaviour, _ string) { b.Answers.ShuffleSets = true },
	"repeats":      func(b *mockplatform.Behaviour, _ string) { b.Answers.RepeatSetElements = true },
	"numbers":      func(b *mockplatform.Behaviour, arg string) { b.Answers.Numbers = mockplatform.NumberSpelling(arg) },
	"unknown":      func(b *mockplatform.Behaviour, _ string) { b.Answers.UnknownMembers = true },
	"moves-state":  func(b *mockplatform.Behaviour, _ string) { b.Patches.MovesState = true },
	"moves-memory": func(b *mockplatform.Behaviour, _ string) { b.Patches.MovesReplicaMemory = true },
	"adds-first":   func(b *mockplatform.Behaviour, _ string) { b.Patches.AddsFirst = true },
	"one-target":   func(b *mockplatform.Behaviour, _ string) { b.Patches.OneTargetPerTable = true },
	"one-table":    func(b *mockplatform.Behaviour, _ string) { b.Patches.OneTablePerTarget = true },
	"patch-result": func(b *mockplatform.Behaviour, arg string) { b.Answers.PatchResult = arg },
	"hides": func(b *mockplatform.Behaviour, arg string) {
		hide, while, _ := strings.Cut(arg, " ")
		rule := mockplatform.Hidden{Hide: hide, While: while}
		if while == "idleScaling" {
			rule.Is = false
		}
		b.Answers.Hidden = append(b.Answers.Hidden, rule)
	},
	"retry-timeout": func(*mockplatform.Behaviour, string) {}, // of the provider
	"credentials":   func(*mockplatform.Behaviour, string) {}, // of the configuration
	"second":        func(*mockplatform.Behaviour, string) {}, // likewise
}

var (
	lifeReads   = []mockplatform.Operation{mockplatform.GetPipe, mockplatform.ListServices}
	lifePatches = []mockplatform.Operation{mockplatform.UpdatePipe, mockplatform.UpdateScaling}
)

func randomFeatures(r *rand.Rand, leaves []lifeLeaf) []string {
	var all []string
	field := func() string {
		leaf := leaves[r.IntN(len(leaves))]
		if leaf.path == mappingsPath && r.IntN(3) > 0 {
			return lifeField(mappingsPath) + "." + fmt.Sprint(oneOf(r, "excludedColumns", "sortingKeys", "useCustomSortingKey"))
		}
		return lifeField(leaf.path)
	}
	if r.IntN(5) < 2 {
		all = append(all, []string{"resets-top", "resets-nested"}[r.IntN(2)])
		if r.IntN(2) == 0 {
			all = []string{"resets-top", "resets-nested"}
		}
		all = append(all, fmt.Sprint("resets-to:", oneOf(r, "", "empty", "absent")))
	}
	switch r.IntN(12) {
	case 0, 1:
		all = append(all, fmt.Sprint("omits-empty:", oneOf(r, "", "z", "zo", "n", "zn")))
	case 2:
		all = append(all, "omits-always:"+field())
	case 3, 4:
		all = append(all, "omits-in-reads:"+field())
	case 5:
		all = append(all, "omits-in-patches:"+field())
	case 6:
		all = append(all, "omits-in-patches:*")
	}
	for _, name := range []string{"shuffles", "repeats", "unknown", "moves-state", "moves-memory", "adds-first", "one-target", "credentials"} {
		if r.IntN(4) == 0 {
			all = append(all, name)
		}
	}
	if r.IntN(6) == 0 {
		all = append(all, fmt.Sprint("numbers:", oneOf(r, ".0", "e0")))
	}
	if len(all) > 0 && strings.HasPrefix(all[0], "resets-") {
		// Each write of one resource would reset what another owns.
	} else if r.IntN(5) == 0 {
		all = append(all, "second")
	}
	return append(all, fmt.Sprint("retry-timeout:", oneOf(r, "0s", "3s", "20s")))
}

// laterFeatures are those that only lives from movingSeeds on have. A response from before
// the change does not go together with resets, or with values that reads omit: then nobody
// can know what the change did.
func laterFeatures(r *rand.Rand, leaves []lifeLeaf, others []string) (all []string) {
	field := func() string { return lifeField(leaves[r.IntN(len(leaves))].path) }
	unsure := slices.ContainsFunc(others, func(f string) bool { return strings.HasPrefix(f, "resets-") || strings.HasPrefix(f, "omits-") })
	switch r.IntN(10) {
	case 0:
		if !unsure {
			all = append(all, "patch-result:"+mockplatform.ResultBefore)
		}
	case 1:
		all = append(all, "patch-result:"+mockplatform.ResultMissing)
	case 2:
		if hide, while := field(), field(); hide != while {
			all = append(all, "hides:"+hide+" "+while)
		}
	}
	if r.IntN(4) == 0 {
		all = append(all, "one-table")
	}
	return all
}
