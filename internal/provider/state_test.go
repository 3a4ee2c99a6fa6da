package provider

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
			w := f.workspace("").setenv(f.fromEnvironment()...)
			for from, to := range map[string]string{"main.tf": "main.tf", "state.json": "terraform.tfstate"} {
				content, err := os.ReadFile(filepath.Join(folder, from))
				if err != nil {
					t.Fatal(err)
				}
				skipIfTooOld(t, string(content))
				w.file(to, strings.ReplaceAll(string(content), "registry.terraform.io", registryHost(t)))
			}
			w.wantEmptyPlan()
			w.wantWrites()
		})
	}
}

// registryHost is the host that a program fills in for a provider's source.
func registryHost(t *testing.T) string {
	t.Helper()
	if programUnder(t).openTofu {
		return "registry.opentofu.org"
	}
	return "registry.terraform.io"
}
