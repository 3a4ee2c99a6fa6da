package guidestest

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

const (
	upgradingGuide  = "../../templates/guides/upgrading.md"
	otherToolsGuide = "../../templates/guides/other-tools.md"
)

// TestUpgradingGuide follows the guide from the first version to the last plan, in one
// directory. Version 0.1.1 is published between its first apply and its upgrade.
func TestUpgradingGuide(t *testing.T) {
	f := newFixture(t)
	w := f.reader()
	page := readPage(t, upgradingGuide)
	const newer = "Error: Resource instance managed by newer provider version\n"
	at := slices.IndexFunc(page.blocks, func(b block) bool { return b.text == newer })
	upgrade := slices.IndexFunc(page.blocks, func(b block) bool { return strings.Contains(b.text, "init -upgrade") })
	if at < 0 || upgrade < 0 || page.blocks[upgrade+1].language != "" {
		t.Fatalf("the guide quotes no %q, or upgrades nothing", newer)
	}
	page.blocks = slices.Delete(page.blocks, at, at+1)
	page.blocks = slices.Insert(page.blocks, upgrade+2, block{language: "shell", text: applyOld}) // behind what it shows
	page.blocks = slices.Insert(page.blocks, upgrade, block{language: "shell", text: publishNext})
	out := w.follow(page)
	wantText(t, out, "Installed dataplatform/dataplatform v0.1.0", "key_suffix", "expire_at")
	if got := f.writes(); len(got) != 1 || len(f.RequestsOf(mockplatform.CreateKey)) != 1 {
		t.Errorf("want the key and no other write, got\n%s", strings.Join(got, "\n"))
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
terraform plan -out=old.plan
`

// applyOld applies a plan that was made before the upgrade.
const applyOld = `! terraform apply old.plan 2>rejected
grep 'Inconsistent dependency lock file' rejected
`

// TestStatesOfOtherVersions has what the guide says of an earlier version of the provider
// on a later state: unknown attributes and missing private data are no change, and a
// newer schema is Terraform's own error. And what it says of terraform state rm.
func TestStatesOfOtherVersions(t *testing.T) {
	f := newFixture(t)
	w := f.workspace(plainProvider + fmt.Sprintf("resource \"dataplatform_service_scaling\" \"this\" {\n  service_id   = %q\n  num_replicas = 3\n}\n", mockplatform.ServiceID) + `
resource "dataplatform_api_key" "loader" {
  name           = "loader"
  roles          = ["developer"]
  validity_hours = 24
}
`)
	w.Apply()
	f.ResetJournal()
	state := w.Read("terraform.tfstate")
	changed := strings.ReplaceAll(state, `"attributes": {`, `"attributes": { "added_later": "x",`)
	changed = regexp.MustCompile(`"private": "[^"]+"`).ReplaceAllString(changed, `"private": "e30="`) // {}
	if strings.Count(changed, "added_later") != 2 || strings.Count(changed, `"e30="`) != 1 {
		t.Fatalf("the state has another form:\n%s", state)
	}
	w.File("terraform.tfstate", changed)
	w.WantEmptyPlan()

	w.File("terraform.tfstate", strings.ReplaceAll(state, `"schema_version": 0`, `"schema_version": 1`))
	out, ok := w.Terraform("plan", "-input=false")
	if ok {
		t.Errorf("a state of a newer schema was read:\n%s", out)
	}
	wantText(t, out, "Resource instance managed by newer provider version")

	// Removed from the state and still configured, a key is created once more.
	w.File("terraform.tfstate", state)
	if out, err := w.Command(t.Context(), "state", "rm", "dataplatform_api_key.loader").CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, out)
	}
	wantText(t, w.PlanText(), "Plan: 1 to add, 0 to change, 0 to destroy.")
	f.wantWrites()
}

// TestOtherToolsGuide has what the guide shows of mirrors: the index that it writes serves
// `terraform init` over HTTPS, and the checksums of another system. The tools themselves
// (Terragrunt, Pulumi, cdktn, tflint, Upjet) are not here; what the guide says of them was
// seen by hand. TestSnippets has the version constraints.
func TestOtherToolsGuide(t *testing.T) {
	f := newFixture(t)
	if _, err := exec.LookPath("zip"); err != nil || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the guide is for 64-bit Linux, and this needs zip")
	}
	page := readPage(t, otherToolsGuide)
	w := f.reader()
	directory := filepath.Join("mirror", programUnder(t).RegistryHost(), "dataplatform", "dataplatform")
	w.shell("mkdir -p " + directory + `
cd ` + directory + `
cp -L "$OLDPWD"/.mirror/*/*/*/*/*/terraform-provider-dataplatform_v0.1.0 .
for system in linux_amd64 darwin_arm64; do
	echo $system > README.md # or both have one checksum
	zip -1 -q terraform-provider-dataplatform_0.1.0_$system.zip terraform-provider-dataplatform_v0.1.0 README.md
done
rm terraform-provider-dataplatform_v0.1.0 README.md`)
	server := httptest.NewTLSServer(http.FileServer(http.Dir(filepath.Join(w.Dir, "mirror"))))
	t.Cleanup(server.Close)
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	w.File("mirror.pem", string(certificate))
	w.setenv("SSL_CERT_FILE=" + filepath.Join(w.Dir, "mirror.pem"))
	page.blocks = slices.DeleteFunc(page.blocks, func(b block) bool { return b.language == "terraform" })
	for i := range page.blocks {
		b := &page.blocks[i]
		b.text = strings.ReplaceAll(b.text, "registry.terraform.io", programUnder(t).RegistryHost()) // as the guide says
		if strings.HasPrefix(b.text, "# terraform.rc\n") {
			wantText(t, b.text, "https://mirror.example.com/")
			w.File("terraform.rc", strings.Replace(b.text, "https://mirror.example.com", server.URL, 1))
			*b = block{language: "shell", text: "terraform init\n"}
		}
	}
	w.File("main.tf", plainProvider)
	wantText(t, w.follow(page), "Installed dataplatform/dataplatform v0.1.0", "darwin_arm64")
	if lock := w.Read(".terraform.lock.hcl"); strings.Count(lock, "h1:") != 2 {
		t.Errorf("the lock file lacks the checksum of a system:\n%s", lock)
	}
}

// TestNamesThatOtherToolsSet wants each settable argument called name on the page on other
// tools, since Pulumi invents a value for it.
func TestNamesThatOtherToolsSet(t *testing.T) {
	t.Parallel()
	content := fileText(t, otherToolsGuide)
	_, pulumi, _ := strings.Cut(content, "\n## Pulumi\n")
	pulumi, _, _ = strings.Cut(pulumi, "\n## ")
	schemas, err := provider.NewServer("test", nil)().GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for name, schema := range schemas.ResourceSchemas {
		for _, a := range schema.Block.Attributes {
			if a.Name != "name" || !a.Optional && !a.Required {
				continue
			}
			found++
			if !strings.Contains(pulumi, "`"+name+"`") {
				t.Errorf("%s: no word about the name of %s", otherToolsGuide, name)
			}
		}
	}
	if found != 2 {
		t.Errorf("%d resources have a settable name, want 2", found)
	}
}

// TestFirstPage has the plan of the first page's example.
func TestFirstPage(t *testing.T) {
	f := newFixture(t)
	w := f.reader()
	page := readPage(t, "../../docs/index.md")
	page.blocks = page.blocks[:2] // the settings that follow are the fixture's
	page.blocks[0].text = "# main.tf\n" + page.blocks[0].text
	page.blocks = slices.Insert(page.blocks, 1, block{language: "shell", text: "terraform init && terraform plan\n"})
	w.follow(page)
}

// TestSecretsGuide has the plan that the guide on secrets shows, and what it says of an
// output of a whole pipe.
func TestSecretsGuide(t *testing.T) {
	f := newFixture(t)
	page := readPage(t, "../../templates/guides/secrets.md")
	config := page.blocks[0].text
	at := slices.IndexFunc(page.blocks, func(b block) bool { return b.language == "" })
	if at < 0 || !strings.Contains(config, "ephemeral = true") {
		t.Fatal("the guide begins otherwise")
	}
	w := f.workspace("").setenv("TF_VAR_kafka_password=hush-hush")
	w.File("main.tf", plainProvider+config)
	out := w.PlanText()
	for line := range strings.Lines(page.blocks[at].text) {
		if programUnder(t).OpenTofu {
			line = strings.Replace(line, "(sensitive, write-only attribute)", "(write-only attribute)", 1)
		}
		wantText(t, out, folded(line))
	}
	wantNoText(t, out, "hush-hush")

	output := func(arguments string) string {
		return plainProvider + config + "\noutput \"orders\" {\n  value = dataplatform_pipe.orders\n" + arguments + "}\n"
	}
	w.File("main.tf", output(""))
	out, ok := w.Terraform("plan", "-input=false")
	if ok {
		t.Errorf("a whole pipe is an output that is not sensitive:\n%s", out)
	}
	wantText(t, out, "Output refers to sensitive values")
	w.File("main.tf", output("  sensitive = true\n"))
	w.PlanText()
}
