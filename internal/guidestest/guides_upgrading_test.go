package guidestest

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestUpgradingGuide follows the guide from the first version to the last plan, in one
// directory. Version 0.1.1 is published between its first apply and its upgrade.
func TestUpgradingGuide(t *testing.T) {
	w := newReader(t)
	p := readPage(t, guide("upgrading"))
	needs(t, "Requires Terraform 1.7 or OpenTofu 1.10, or later, and jq.")
	// The guide creates nothing, so the reader has a configuration.
	w.File("main.tf", fileText(t, examplesDir+"/resources/dataplatform_api_key/resource.tf"))
	w.File("versions.tf", strings.Replace(plainProvider, "{ source", "{ version = \"~> 0.1.0\", source", 1))
	p.insert(t, "init -upgrade", "terraform init\nterraform apply\n"+publishNext)
	p.insert(t, "# removed.tf", "rm main.tf\n")
	w.setenv("TF_CLI_ARGS_apply=-auto-approve")
	wantText(t, w.follow(p), "Installed dataplatform/dataplatform v0.1.0")
	w.wantKeys(1, 0)
	if key := regexp.MustCompile(`^orders-loader\t[0-9a-f-]{36}\t\w+\t\d{4}-\S+Z\n$`); !key.MatchString(w.Read("keys.tsv")) {
		t.Errorf("the list of keys to revoke is\n%s", w.Read("keys.tsv"))
	}
	if states := w.States(); len(states) != 0 {
		t.Errorf("the state still has %v", states)
	}
}

// publishNext adds version 0.1.1 to the mirror of a reader: the same program by another
// name.
const publishNext = `for folder in .mirror/*/*/*/0.1.0/*; do
	next=${folder/0.1.0/0.1.1}
	mkdir -p "$next"
	cp -P "$folder"/*_v0.1.0 "$next/terraform-provider-dataplatform_v0.1.1"
done
`

// TestStatesOfEarlierVersions plans with states that earlier versions of the
// provider wrote, private state included, each with its configuration in a directory named after the
// version: they must plan empty, and show what is removed on the platform. Where a release changes the shape of a state,
// its directory is added and none is changed; a state that no longer plans empty
// needs a state upgrader. A later version's state is an error.
func TestStatesOfEarlierVersions(t *testing.T) {
	t.Parallel()
	directories, err := filepath.Glob("testdata/state/*")
	if err != nil || len(directories) == 0 {
		t.Fatalf("no states were found: %v", err)
	}
	for _, directory := range directories {
		t.Run(filepath.Base(directory), func(t *testing.T) {
			w := newWorkspace(t, fileText(t, filepath.Join(directory, "main.tf")))
			state := fileText(t, filepath.Join(directory, "state.json"))
			state = strings.ReplaceAll(state, "registry.terraform.io", programUnder(t).RegistryHost())
			w.File("terraform.tfstate", state)
			w.WantEmptyPlan()
			w.wantWrites()
			// What a platform no longer returns is drift, because private state remembers that reads have returned it.
			w.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { delete(doc["settings"].(map[string]any), "engine_max_threads") })
			w.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { delete(doc, "numReplicas") })
			wantText(t, w.PlanText(), "+ engine_max_threads", "+ num_replicas", "Plan: 0 to add, 2 to change, 0 to destroy.")
			w.shell("terraform apply -auto-approve")
			w.File("terraform.tfstate", state)
			// Members that the schema lacks are dropped, and those that the state lacks are null.
			w.File("terraform.tfstate", strings.NewReplacer(
				`"attributes": {`, `"attributes": { "no_longer": ["here"],`,
				`"postgres": {`, `"postgres": { "no_longer": {"here": true},`,
				`"is_primary": true,`, "",
			).Replace(state))
			w.WantEmptyPlan()
			w.File("terraform.tfstate", strings.ReplaceAll(state, `"schema_version": 0`, `"schema_version": 1`))
			w.wantScript("terraform plan", 1, "Error: Resource instance managed by newer provider version")
		})
	}
}
