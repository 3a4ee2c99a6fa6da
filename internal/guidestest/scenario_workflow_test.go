package guidestest

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// pipeline plays the jobs of the scenario's workflow, with its commands and its shell.
type pipeline struct {
	*workspace
	left strings.Builder // what the runs print, show and store
}

var (
	nextJob = regexp.MustCompile(`\n {2}\w+:\n`)
	command = regexp.MustCompile(`(?s)(?:^|\n        )run: (?:\|\n)?(.*?)(?:\n        \w|\n      #|$)`)
)

// steps are the commands of a job, by the name of the step or in its place what it runs.
func steps(t *testing.T, job string) (all [][2]string) {
	t.Helper()
	text := fileText(t, scenarioDir+"/workflows/environment.yml")
	if !strings.Contains(text, "\ndefaults:\n  run:\n    shell: bash ") {
		t.Fatal("the shell has no pipefail")
	}
	_, text, _ = strings.Cut(text, "\n  "+job+":\n")
	if next := nextJob.FindStringIndex(text); next != nil {
		text = text[:next[0]]
	}
	for _, step := range strings.Split(text, "\n      - ")[1:] {
		if run := command.FindStringSubmatch(step); run != nil {
			name, _, _ := strings.Cut(step, "\n")
			all = append(all, [2]string{strings.TrimPrefix(strings.TrimPrefix(name, "name: "), "run: "), strings.ReplaceAll("\n"+run[1], "\n          ", "\n")})
		}
	}
	return all
}

// run runs the steps of a job up to the first that fails, and always the one that shows the plans. It
// wants an exit code, and texts of what is printed and shown.
func (f *pipeline) run(job, variables string, code int, texts ...string) {
	f.T.Helper()
	f.shell("rm -f output summary keys.txt; touch output summary")
	failed, printed := 0, ""
	for _, step := range steps(f.T, job) {
		if isDrift, isPullRequest := step[0] == "nothing has drifted", step[0] == "plan the keys"; failed != 0 && step[0] != "show the plans" ||
			isDrift || isPullRequest && !strings.Contains(variables, "pull_request") {
			continue
		}
		f.File("step.sh", step[1])
		out := f.shell("export GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary COMMIT=0123456789abcdef " + variables +
			"; code=0; bash --noprofile --norc -eo pipefail step.sh > log 2>&1 || code=$?; cat log; echo; echo exit code $code")
		wantNoCommand(f.T, f.Read("log"))
		printed += out
		if failed == 0 && !strings.HasSuffix(out, "exit code 0") {
			failed = 1
		}
	}
	printed += folded(f.Read("summary")) + " " + folded(f.Read("output"))
	wantText(f.T, printed, texts...)
	wantNoText(f.T, printed, "AGE ENCRYPTED") // dozens of lines above the warnings
	if failed != code {
		f.T.Errorf("%s: exit code %d, want %d:\n%s", job, failed, code, printed)
	}
	f.left.WriteString(printed + f.shell("for file in {.,keys}/terraform.tfstate.d/*/*; do [ ! -e $file ] || cat $file; done"))
	if job == "plan" && code == 0 {
		f.left.WriteString(f.Unzipped("tfplan"))
	}
}

// TestScenarioWorkflow plays the runs of the scenario's workflow: pull requests, which do not have the
// identity, main, and the schedule, with everything that fails on the way. The secret of the loader
// reaches the store, and stands nowhere else.
func TestScenarioWorkflow(t *testing.T) {
	needsProgram(t, "openssl")
	needsProgram(t, "jq")
	w := newScenario(t)
	pair, other := sealingtest.X25519(t), sealingtest.X25519(t)
	w.File("keys/environments/production.pub", pair.Recipient+"\n")
	w.setenv("TF_WORKSPACE=production")
	w.shell("terraform init && terraform -chdir=keys init")
	f := &pipeline{workspace: w}
	identity := "TF_VAR_age_identity=" + pair.Identity
	const plan, pullRequest, apply = "TF_VAR_customers_password=placeholder", "TF_VAR_customers_password=placeholder GITHUB_EVENT_NAME=pull_request", "TF_VAR_customers_password=secret-of-customers"
	stored := func(n int) {
		t.Helper()
		loaders := w.keys("ingest-production-loader")
		if len(loaders) != n {
			t.Fatalf("the loader has had %d keys, want %d", len(loaders), n)
		}
		wantText(t, w.stored("ingest/production/loader"), loaders[n-1].secret, loaders[n-1].id)
		for _, key := range w.keys("") {
			wantNoText(t, f.left.String(), key.secret)
		}
		wantNoText(t, f.left.String(), pair.Identity, "secret-of-customers")
	}

	// The first applies.
	f.run("plan", pullRequest, 0, "production, keys at 0123456789:** Plan: 6 to add", "production, plan at 0123456789:** Plan: 4 to import", "code=2")
	f.run("keys", identity, 0, "6 added, 0 changed, 0 destroyed")
	f.run("plan", plan, 0, "code=2")
	f.run("apply", apply, 0, "4 imported, 0 added, 4 changed")
	stored(1)
	f.run("plan", pullRequest, 0, "production, keys at 0123456789:** Plan: 0 to add, 0 to change, 0 to destroy.", "production, plan at 0123456789:** Plan: 0 to add, 0 to change, 0 to destroy.", "code=0")

	// A renewal delivers the new secret, and makes no plan stale.
	w.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 9 })
	f.run("plan", plan, 0, "Plan: 0 to add, 1 to change", "code=2") // on the schedule, drift
	due := func() { w.expireKeys("keys/terraform.tfstate.d/production/terraform.tfstate") }
	due()
	f.run("plan", pullRequest, 0, "production, keys at 0123456789:** Plan: 4 to add", "its renewal is due")
	f.run("keys", identity, 0, "4 added, 0 changed, 4 destroyed")
	stored(2)
	f.run("apply", apply, 0, "0 added, 1 changed, 0 destroyed")
	f.run("plan", plan, 0, "code=0")
	f.run("keys", identity, 0, "0 added, 0 changed, 0 destroyed")

	// No failure is lost, none costs the secret that the store has, and the next run goes on.
	due()
	w.Inject(mockplatform.Fault{Status: 403, Method: "POST", Times: 2})
	f.run("keys", identity, 1, "HTTP 403")
	stored(2)
	f.run("keys", "TF_VAR_decrypts=false", 1, "An apply must decrypt the secrets")
	f.run("keys", "TF_VAR_age_identity=", 1, "Cannot decrypt API key secret")
	f.run("keys", "TF_VAR_age_identity="+other.Identity, 1, "Cannot decrypt API key secret")
	f.run("keys", identity, 0, "2 added, 0 changed, 4 destroyed")
	stored(3)
	due()
	f.run("keys", "SECRETS_DIRECTORY=/nowhere "+identity, 1, "Secrets Manager")
	f.run("keys", identity, 0, "2 added, 0 changed, 4 destroyed")
	stored(4)
	f.run("plan", plan+" DATAPLATFORM_KEY_SECRET=wrong", 1, "There is no plan. ``` Error: Cannot read", "code=1")
	w.ResetJournal()
	w.edit("environments/production.tfvars", `{ username = "crm-replication" }`, "{ username = \"crm-replication\" }\n    secret_version = 2")
	f.run("plan", plan, 0, "code=2")
	f.run("apply", "TF_VAR_customers_password=", 1, "Secret is blank")
	w.wantWrites()
	w.shell("mkdir bin; printf '#!/bin/sh\\nkill -9 $$\\n' > bin/terraform; chmod +x bin/terraform")
	for _, job := range []string{"keys", "apply"} {
		f.run(job, "PATH=$PWD/bin:$PATH", 1, "exit code 137")
	}
}

// TestScenarioWithoutStore creates keys as who has no AWS.
func TestScenarioWithoutStore(t *testing.T) {
	w := newScenario(t).in("staging")
	w.File("keys/environments/staging.pub", sealingtest.X25519(t).Recipient+"\n")
	w.shell("rm keys/store.tf && terraform -chdir=keys init")
	wantText(t, w.shell("terraform -chdir=keys apply -auto-approve"), "2 added, 0 changed, 0 destroyed")
}

// expireKeys lets a state say that its keys have expired.
func (w *workspace) expireKeys(name string) {
	w.T.Helper()
	state := w.Read(name)
	for member, date := range map[string]string{"created_at": "2025-10-03", "expire_at": "2026-01-01"} {
		state = regexp.MustCompile(`"`+member+`": ?"2[^"]+"`).ReplaceAllString(state, `"`+member+`": "`+date+`T00:00:00Z"`)
	}
	w.File(name, state)
}

// TestPipelineGuide wants the commands of the guide in the workflow, so that what is tested is what is read.
func TestPipelineGuide(t *testing.T) {
	var all []string
	for _, job := range []string{"keys", "plan", "apply"} {
		for _, step := range steps(t, job) {
			all = append(all, strings.Fields(step[1])...)
		}
	}
	found := 0
	for _, b := range readPage(t, guide("pipeline")).blocks {
		if b.language != "shell" || !strings.HasPrefix(b.text, "terraform ") {
			continue
		}
		found++
		for _, word := range strings.Fields(b.text) {
			if !slices.Contains(all, word) {
				t.Errorf("the workflow does not have %s of %s", word, b.text)
			}
		}
	}
	if found != 3 {
		t.Errorf("the guide has %d commands of Terraform, want those of a plan, an apply and a renewal", found)
	}
}
