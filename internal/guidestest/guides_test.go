package guidestest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestFirstPage has the plan of the first page's example.
func TestFirstPage(t *testing.T) {
	w := newReader(t)
	p := readPage(t, "../../docs/index.md")
	p.drop(func(b block) bool { return b.language == "shell" }) // the settings are the workspace's
	p.block(t, "required_providers").language = "hcl"
	p.block(t, "required_providers").text = "# main.tf\n" + p.block(t, "required_providers").text
	p.insert(t, "Plan: 1 to import", "terraform init && terraform plan\n")
	w.follow(p)
}

// TestReadmePlan wants README.md to show what changes in the plan of its tables, and every warning.
func TestReadmePlan(t *testing.T) {
	p := readPage(t, readme)
	skipIfTooOld(t, p.text)
	w := newWorkspace(t, plainProvider+p.block(t, "# customers.tf").text)
	w.Apply()
	w.File("main.tf", plainProvider+p.block(t, "table_mappings = {\n        \"").text)
	w.shell("terraform plan > plan.txt")
	shown, printed := planExcerpt(p.block(t, "Terraform will perform").text), planExcerpt(w.Read("plan.txt"))
	wantText(t, printed, `- "phone",`, `Warning: Table mappings of pipe "customers"`)
	if shown != printed {
		t.Errorf("README.md shows\n%s\nand the plan is\n%s", shown, printed)
	}
}

var (
	// newKnown are the lines of a plan that change something to a value that is known. A diff has the sign in front.
	newKnown = regexp.MustCompile(`(?m)^[-+ ]* [~+-] .*[^)]$|^[-+] .*$`)
	// origin are the lines of a warning that say where its object is configured.
	origin = regexp.MustCompile(`(?m)^ +(?:with|on|\d+:) .*$`)
)

// planExcerpt is what a plan changes, its sum and its warnings, without line breaks, which differ between versions.
func planExcerpt(plan string) string {
	_, plan, _ = strings.Cut(plan, "will perform the following actions:")
	plan, _, _ = strings.Cut(plan, "\n───") // a note about -out
	changes, rest, _ := strings.Cut(plan, "Plan: ")
	return folded(strings.Join(newKnown.FindAllString(changes, -1), "\n") + "\n" + origin.ReplaceAllString(rest, ""))
}

// TestGettingStarted follows the guide from an empty directory to its last plan: it changes
// the replicas and the threads, and creates a key.
func TestGettingStarted(t *testing.T) {
	w := newReader(t).setenv("TF_CLI_ARGS_apply=-auto-approve")
	w.follow(readPage(t, guide("getting-started")))
	w.wantKeys(1, 2)
	w.WantEmptyPlan()
}

// TestChaptersWithCommands follows chapters that have commands. The other chapters of these guides are
// snippets, or have a test of their own.
func TestChaptersWithCommands(t *testing.T) {
	t.Parallel()
	// With moved, another for_each key replaces no API key, because the name is a value of its own.
	const renamed = `sed -i.bak 's/loader     =/loads      =/' keys.tf
printf 'moved {\n  from = dataplatform_api_key.all["loader"]\n  to   = dataplatform_api_key.all["loads"]\n}\n' > moved.tf
terraform plan
`
	for _, row := range []struct {
		guide, chapter string
		keys           int
		then, prints   string
	}{
		{"adopting", "Generate the configuration", 0, "terraform plan\n", "No changes."},
		{"rotating-keys", "Existing API keys", 2, renamed, "0 to add, 0 to change, 0 to destroy."},
	} {
		t.Run(row.chapter, func(t *testing.T) {
			w := newReader(t)
			p := chapterOf(t, guide(row.guide), row.chapter)
			needs(t, p.text)
			w.File("providers.tf", plainProvider)
			w.shell("terraform init")
			w.keyPair("")
			w.follow(p)
			w.Apply()
			w.WantEmptyPlan()
			w.wantKeys(row.keys, 0)
			wantText(t, w.shell(row.then), row.prints)
		})
	}
}

// TestAdoptingManyGuide follows the guide for large organizations, part by part. None changes
// the platform.
func TestAdoptingManyGuide(t *testing.T) {
	t.Parallel()
	const plan = "terraform plan -detailed-exitcode\n"
	// A value is set in the file alone, and what is misspelled there is rejected.
	const inFile = `echo '"20000000-0000-4000-8000-000000000003": { idle_scaling: true }' > services.yaml
terraform plan -target='%s["20000000-0000-4000-8000-000000000003"]'
sed -i.bak s/idle_scaling/idle_scalling/ services.yaml
! terraform plan
`
	printsOfFile := []string{"No changes.", "idle_scaling = false -> true", "Service 20000000-0000-4000-8000-000000000003 has unknown names: idle_scalling."}
	const moveOne = `mkdir production && cp providers.tf services.tf import.kept production
mv production/import.kept production/import.tf
grep 000001 -A 2 services.yaml > production/services.yaml
terraform -chdir=production init
terraform -chdir=production apply
cd production && terraform plan && cd ..
grep -v 000001 -A 0 services.yaml | sed -n '/000002/,$p' > rest && mv rest services.yaml
terraform plan
`
	const misspelled = "sed -i.bak s/tables/tabels/ pipes/customers.yaml\n! terraform plan\n"
	all := chapters(t, guide("adopting-many"))
	intro := all[0]
	inServices := fmt.Sprintf(inFile, "dataplatform_service_scaling.all")
	rows := []struct {
		parts  []string // followed one after the other
		then   string
		prints []string
	}{
		{[]string{"Services"}, plan + inServices, printsOfFile},
		{[]string{"Services", "Several states"}, moveOne, []string{"0 to change, 0 to destroy.", "No changes.", "1 to destroy"}},
		{[]string{"Pipes", "If the pipes differ"}, plan + "! grep -E 'organization_id|= null' pipes.tf\n", []string{"No changes."}},
		{[]string{"A file for each pipe"}, plan + misspelled, []string{"No changes.", "This object does not have an attribute named \"tables\"."}},
	}
	followed := []string{intro.title}
	for _, row := range rows {
		followed = append(followed, row.parts...)
		t.Run(row.parts[len(row.parts)-1], func(t *testing.T) {
			w := newReader(t)
			w.setenv("TF_CLI_ARGS_apply=-auto-approve")
			w.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["idleScaling"], doc["idleTimeoutMinutes"] = false, 0 })
			w.UpdatePipe(mockplatform.KafkaPipeID, func(doc mockplatform.Document) { // nothing of it can be set
				doc["settings"], doc["fieldMappings"] = mockplatform.Document{}, nil
				doc["source"] = mockplatform.Document{"kafka": mockplatform.Document{"brokers": "b:9092"}}
				doc["destination"] = mockplatform.Document{"table": "orders"}
			})
			w.follow(intro)
			for _, title := range row.parts {
				p := chapterOf(t, guide("adopting-many"), title)
				needs(t, p.text)
				p.replace("rm import.tf", "mv import.tf import.kept") // for who moves a service
				w.follow(p)
			}
			out := w.shell(row.then)
			wantText(t, out, row.prints...)
			wantNoText(t, out, "Object is empty")
			w.wantWrites()
		})
	}
	for _, p := range all {
		if !slices.Contains(followed, p.title) {
			t.Errorf("no row follows %q", p.title)
		}
	}
}

// TestMoveFromAnotherProvider follows the chapter. The other provider is this one, by another address.
func TestMoveFromAnotherProvider(t *testing.T) {
	w := newReader(t).setenv("TF_CLI_ARGS_apply=-auto-approve", "TF_CLI_ARGS_destroy=-auto-approve")
	p, generate := chapterOf(t, guide("other-tools"), "Move here from another provider"), chapterOf(t, guide("adopting-many"), "If the pipes differ")
	needs(t, p.text)
	p.replace("../old", "old")
	p.replace(`"other_service" then ["service_scaling", .values.id]`, `"dataplatform_service_scaling" then ["service_scaling", .values.service_id]`)
	p.replace(`"other_pipe"`, `"dataplatform_pipe"`)
	p.replace("(.values.id |", "(.values.pipe_id |")
	p.replace("other_pipe.orders", "dataplatform_pipe.all")
	old := strings.ReplaceAll(plainProvider, "dataplatform/", "example/") +
		fmt.Sprintf("resource \"dataplatform_service_scaling\" \"events\" {\n  service_id = %q\n}\n", mockplatform.ServiceID)
	w.shell(`for host in .mirror/*; do mkdir $host/example; cp -R $host/dataplatform/dataplatform $host/example; done; mkdir old`)
	w.File("old/main.tf", old+fmt.Sprintf(`resource "dataplatform_pipe" "all" {
  for_each   = { a-b = %q, c = %q }
  service_id = %q
  pipe_id    = each.value
}
`, mockplatform.KafkaPipeID, mockplatform.PostgresPipeID, mockplatform.ServiceID))
	w.shell("terraform -chdir=old init\nterraform -chdir=old apply\n")

	generate.blocks = generate.blocks[1:] // without the list
	generate.blocks[0] = *p.block(t, "jq -r")
	generate.blocks[0].text += "terraform init\nterraform plan -generate-config-out=generated.tf\n"
	w.follow(chapters(t, guide("adopting-many"))[0])
	wantText(t, w.follow(generate), "3 imported, 0 added, 0 changed, 0 destroyed.")
	w.File("old/main.tf", old+p.block(t, "removed {").text)
	wantText(t, w.shell("terraform -chdir=old apply"), "0 added, 0 changed, 0 destroyed.")
	wantText(t, w.shell("terraform -chdir=old state list"), "dataplatform_service_scaling.events")
	wantText(t, w.shell("terraform plan\nterraform destroy"), "No changes.", "3 destroyed.")
	w.wantWrites()
}

// TestQueryPage follows the page on the list resource.
func TestQueryPage(t *testing.T) {
	w := newReader(t)
	p := readPage(t, "../../docs/list-resources/service_scaling.md")
	needs(t, "Requires Terraform 1.14 or later.")
	list := p.block(t, "list \"dataplatform_service_scaling\"")
	list.text = "# services.tfquery.hcl\n" + list.text
	w.File("providers.tf", plainProvider)
	w.follow(p)
	w.WantEmptyPlan()
	w.wantWrites()
}

// TestKeyThatConfiguresAnotherProvider follows the chapter on a key that a second provider block uses.
func TestKeyThatConfiguresAnotherProvider(t *testing.T) {
	p := chapterOf(t, guide("rotating-keys"), "A key that configures another provider")
	w := newWorkspace(t, plainProvider+fmt.Sprintf(`
provider "dataplatform" {
  alias      = "loader"
  key_id     = dataplatform_api_key.loader.key_id
  key_secret = dataplatform_api_key.loader.key_secret
}

resource "dataplatform_service_scaling" "events" {
  provider     = dataplatform.loader
  service_id   = %q
  num_replicas = 4
}

resource "dataplatform_api_key" "loader" {
  name              = "orders-loader"
  roles             = ["developer"]
  validity_hours    = 24
  rotation_triggers = { generation = "1" }
  lifecycle {
    create_before_destroy = true
  }
}
`, mockplatform.ServiceID)).setenv("TF_CLI_ARGS_apply=-auto-approve")
	w.Apply()
	w.edit("main.tf", `"1"`, `"2"`)
	w.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 7 })
	w.Apply()
	wantText(t, w.Apply(), "0 added, 1 changed, 0 destroyed")

	// A data source can't wait. The guide's way: the key first, then the rest.
	w.edit("main.tf", `"2"`, `"3"`)
	w.File("data.tf", "data \"dataplatform_services\" \"all\" {\n  provider = dataplatform.loader\n}\n")
	w.wantScript("terraform apply", 1, "Unknown provider settings")
	w.shell(p.block(t, "terraform apply -target").text)
	w.WantEmptyPlan()
}

// TestSealedSecretsGuide delivers the secret of the page's example to a store, and decrypts without Terraform, as the guide
// says. TestScenarioWorkflow plans pull requests without the identity.
func TestSealedSecretsGuide(t *testing.T) {
	example := fileText(t, examplesDir+"/ephemeral-resources/dataplatform_api_key_secret/ephemeral-resource.tf")
	skipIfTooOld(t, example)
	w := newReader(t).withStore().setenv("TF_CLI_ARGS_apply=-auto-approve")
	w.File("main.tf", fileText(t, examplesDir+"/ephemeral-resources/dataplatform_api_key_secret/versions.tf")+example)
	w.keyPair("")
	w.follow(chapterOf(t, guide("secrets"), "Deliver the secret to a secret store"))
	wantText(t, w.stored("orders/loader"), w.key("orders-loader").secret)
	wantNoText(t, w.Read("terraform.tfstate"), w.key("orders-loader").secret)
}

// keyPair creates one, as the guide on secrets says, with an option of age-keygen.
func (w *workspace) keyPair(option string) {
	w.T.Helper()
	commands := chapterOf(w.T, guide("secrets"), "The secret of an API key").block(w.T, "age-keygen").text
	w.shell(strings.Replace(commands, "age-keygen", "age-keygen "+option, 1))
}

// TestDecryptingGuide decrypts without Terraform, with any version of it.
func TestDecryptingGuide(t *testing.T) {
	needsProgram(t, "openssl")
	w := newReader(t).setenv("TF_CLI_ARGS_apply=-auto-approve")
	w.keyPair("-pq") // whose fingerprint the page prints
	w.File("main.tf", plainProvider+fileText(t, examplesDir+"/resources/dataplatform_api_key/resource_recipients.tf"))
	w.shell("terraform init && terraform apply")
	wantText(t, w.follow(chapterOf(t, guide("secrets"), "Decrypt the secret without Terraform")), w.key("orders-batch").secret)
	fingerprint := w.shell(chapterOf(t, guide("secrets"), "Choose the recipients").block(t, "openssl").text)
	w.edit("main.tf", "  secret_recipients = [file(\"key.pub\")]\n", "")
	wantText(t, w.PlanText(), "- age1pq1 SHA256:"+strings.TrimSpace(fingerprint))
}
