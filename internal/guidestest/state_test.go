package guidestest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatesOfEarlierVersions plans with states that earlier versions of the
// provider wrote, each with its configuration in a folder named after the
// version: they must plan empty. Where a release changes the shape of a state,
// its folder is added and none is changed; a state that no longer plans empty
// needs a state upgrader.
func TestStatesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/state/*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("no states were found: %v", err)
	}
	for _, folder := range folders {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			f := newFixture(t)
			w := f.workspace("")
			for from, to := range map[string]string{"main.tf": "main.tf", "state.json": "terraform.tfstate"} {
				content, err := os.ReadFile(filepath.Join(folder, from))
				if err != nil {
					t.Fatal(err)
				}
				skipIfTooOld(t, string(content))
				w.File(to, strings.ReplaceAll(string(content), "registry.terraform.io", programUnder(t).RegistryHost()))
			}
			w.WantEmptyPlan()
			w.wantWrites()
		})
	}
}
