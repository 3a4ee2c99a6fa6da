// Package workflows tests what no linter knows of the workflows: those of this repository,
// and those that the guides and the scenario hand out.
package workflows

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

const (
	root   = "../../"
	isMain = "github.ref == 'refs/heads/main'"
)

type workflow struct {
	text        string
	Permissions map[string]string
	Env         map[string]string
	Jobs        map[string]job
}

type job struct {
	If, Environment  string
	Needs, Secrets   any
	Permissions, Env map[string]string
	Steps            []step
}

type step struct {
	ID, If, Uses, Run string
	With, Env         map[string]string
}

func read(t *testing.T, name string) workflow {
	t.Helper()
	content, err := os.ReadFile(root + name)
	if err != nil {
		t.Fatal(err)
	}
	w := workflow{text: string(content)}
	if filepath.Ext(name) == ".md" { // a guide's module.yml
		_, w.text, _ = strings.Cut(w.text, "```yaml\n# .github/workflows/")
		w.text, _, _ = strings.Cut("# "+w.text, "\n```")
	}
	if err := yaml.Unmarshal([]byte(w.text), &w); err != nil || len(w.Jobs) == 0 {
		t.Fatalf("%s: %v, with %d jobs", name, err, len(w.Jobs))
	}
	return w
}

// handedOut are the workflows with which users change their platform.
var handedOut = []string{"examples/pipeline/terraform.yml", "examples/scenario/workflows/environment.yml"}

// writes are the permissions that a job has beyond reading, by file and job.
var writes = map[string][]string{
	"release.yml release":  {"attestations", "contents", "id-token", "packages"},
	"latest.yml image":     {"packages"},
	"terraform.yml plan":   {"pull-requests"},
	"environment.yml plan": {"pull-requests"},
	// What the called workflow may have.
	"terraform.yml staging":    {"pull-requests"},
	"terraform.yml production": {"pull-requests"},
}

var (
	uses   = regexp.MustCompile(`(?m)^ +(?:- )?uses: (.*)$`)
	pinned = regexp.MustCompile(`^([\w./-]+)@([0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
)

func TestWorkflows(t *testing.T) {
	own, err := filepath.Glob(root + ".github/workflows/*")
	if err != nil || len(own) < 3 {
		t.Fatalf("got %q, %v", own, err)
	}
	names := slices.Concat(handedOut, []string{"examples/scenario/workflows/terraform.yml", "docs/guides/offline.md"})
	for _, name := range own {
		names = append(names, strings.TrimPrefix(name, root))
	}
	pins := map[string]string{}
	for _, name := range names {
		w := read(t, name)
		for _, line := range uses.FindAllStringSubmatch(w.text, -1) {
			pin := pinned.FindStringSubmatch(line[1])
			switch {
			case strings.HasPrefix(line[1], "./"):
			case pin == nil:
				t.Errorf("%s: %s is not pinned to a commit, with its version", name, line[1])
			case pins[pin[1]] != "" && pins[pin[1]] != pin[2]:
				t.Errorf("%s: %s is %s here, and elsewhere %s", name, pin[1], pin[2], pins[pin[1]])
			default:
				pins[pin[1]] = pin[2]
			}
		}
		if w.Permissions == nil || len(w.Permissions) > 1 || len(w.Permissions) == 1 && w.Permissions["contents"] != "read" {
			t.Errorf("%s: permissions are %v", name, w.Permissions)
		}
		if hasSecret(w.Env) {
			t.Errorf("%s: a secret is in the environment of the workflow", name)
		}
		for id, j := range w.Jobs {
			at := filepath.Base(name) + " " + id
			var write []string
			for permission, level := range j.Permissions {
				if level != "read" {
					write = append(write, permission)
				}
			}
			if slices.Sort(write); !slices.Equal(write, writes[at]) {
				t.Errorf("%s: may write %q, want %q", at, write, writes[at])
			}
			if hasSecret(j.Env) || j.Secrets == "inherit" {
				t.Errorf("%s: every step gets a secret, or every secret is passed on", at)
			}
			for _, s := range j.Steps {
				if strings.HasPrefix(s.Uses, "actions/checkout@") && s.With["persist-credentials"] != "false" {
					t.Errorf("%s: the token of the checkout stays behind", at)
				}
				if strings.Contains(s.Run, "${{") {
					t.Errorf("%s: %q is made of a text from outside", at, s.Run)
				}
				if (hasSecret(s.Env) || hasSecret(s.With)) && j.Environment == "" {
					t.Errorf("%s: a secret, but no environment", at)
				}
			}
		}
	}
}

func hasSecret(values map[string]string) bool {
	for _, value := range values {
		if strings.Contains(value, "secrets.") {
			return true
		}
	}
	return false
}

// TestHandedOutWorkflows wants what changes something on main alone and in an environment of
// its own, only the plan of this run applied, and nothing left behind.
func TestHandedOutWorkflows(t *testing.T) {
	const stop = `echo "::stop-commands::$(openssl rand -hex 16)"`
	for name, prefix := range map[string]string{handedOut[0]: "production", handedOut[1]: "${{ inputs.environment }}"} {
		w := read(t, name)
		renew, plan, apply := w.Jobs["renew"], w.Jobs["plan"], w.Jobs["apply"]
		if !strings.Contains(renew.If, isMain) || renew.Environment != prefix+"-main" || !runs(renew, "ci/renew.sh") || !runs(renew, "ci/drift.sh") {
			t.Errorf("%s: renewal and drift: if %s, in %s", name, renew.If, renew.Environment)
		}
		if !strings.Contains(apply.If, isMain) || apply.Environment != prefix || !runs(apply, "terraform apply") {
			t.Errorf("%s: apply: if %s, in %s", name, apply.If, apply.Environment)
		}
		if want := regexp.MustCompile(regexp.QuoteMeta(isMain) + ` && '(production-)?main' \|\| '(production-)?plan' }}$`); !want.MatchString(plan.Environment) {
			t.Errorf("%s: a plan is in %s", name, plan.Environment)
		}
		if !runs(plan, "rm -f plan.md && terraform init") {
			t.Errorf("%s: the comment can be an older plan, or one of the branch", name)
		}
		for id, j := range w.Jobs {
			decrypted := false
			for _, s := range j.Steps {
				decrypted = decrypted || s.Run == "bash ci/decrypt.sh" && s.Env["PLAN_DIGEST"] == "${{ needs.plan.outputs.digest }}"
				switch {
				case s.Env["PLAN_PASSPHRASE"] != "" && !strings.Contains(s.If+j.If, isMain):
					t.Errorf("%s: %s: every branch gets the passphrase", name, id)
				case s.Env["TF_VAR_source_secrets"] != "" && !strings.HasPrefix(s.Run, "bash ci/mask.sh && "):
					t.Errorf("%s: %s: secrets are not masked before %s", name, id, s.Run)
				case s.Env["TF_VAR_age_identity"] != "" && !strings.Contains(s.If+j.If+s.Env["TF_VAR_decrypts"], isMain):
					t.Errorf("%s: %s: every branch decrypts the secrets of keys", name, id)
				case strings.Contains(s.Run, "terraform apply") && !decrypted:
					t.Errorf("%s: %s: applies another plan", name, id)
				case strings.Contains(s.Run, "terraform apply") && !strings.Contains(s.Run, stop+" && terraform apply"):
					t.Errorf("%s: %s: a name can be a command of the workflow in %s", name, id, s.Run)
				case strings.Contains(s.Run, "terraform init") && !strings.HasSuffix(s.Run, "terraform init -input=false -lockfile=readonly"):
					t.Errorf("%s: %s: %q trusts a provider that the lock file does not have", name, id, s.Run)
				case strings.HasPrefix(s.Uses, "actions/upload-artifact@") && (s.With["path"] != "tfplan.enc" || s.With["overwrite"] != "true"):
					t.Errorf("%s: %s: uploads %s", name, id, s.With)
				}
			}
			if last := j.Steps[len(j.Steps)-1]; j.Environment != "" && (last.Run != "git clean -ffdxq" || last.If != "always()") {
				t.Errorf("%s: %s: files stay on the runner", name, id)
			}
		}
	}
}

func runs(j job, command string) bool {
	return slices.ContainsFunc(j.Steps, func(s step) bool { return strings.Contains(s.Run, command) })
}

// TestReleaseWorkflow wants the commit and its vulnerabilities looked at where there is no
// key, no image started where there is one, everything attested that is published, and the tag latest
// moved by the publication.
func TestReleaseWorkflow(t *testing.T) {
	w := read(t, ".github/workflows/release.yml")
	check, release := w.Jobs["check"], w.Jobs["release"]
	if release.Needs != "check" || check.Environment != "" || !runs(check, "git merge-base --is-ancestor HEAD origin/main") || !runs(check, "make vulncheck") {
		t.Errorf("the check is not before the release: %+v", check)
	}
	if runs(release, "buildx create") || runs(release, "docker run") || !runs(release, "containerd-snapshotter") {
		t.Errorf("an image is started beside the keys: %+v", release.Steps)
	}
	var attested []string
	for _, s := range release.Steps {
		if strings.HasPrefix(s.Uses, "actions/attest-build-provenance@") {
			attested = append(attested, strings.Fields(s.With["subject-path"]+" "+s.With["subject-checksums"])...)
		}
	}
	for _, want := range []string{
		"dist/*.zip", "dist/*.sbom.json", "dist/*_SHA256SUMS", "dist/mockplatform_checksums.txt",
		"terraform-registry-manifest.json", "dist/digests.txt",
	} {
		if !slices.Contains(attested, want) {
			t.Errorf("%s is not attested", want)
		}
	}
	packages, err := os.ReadFile(root + ".goreleaser.yml")
	if err != nil || !strings.Contains(string(packages), `    tags: ["{{ .Version }}"]`+"\n") || !strings.Contains(string(packages), `    sbom: "false"`+"\n") {
		t.Errorf("the image has other tags, or its SBOM is made by another image: %v", err)
	}
	if latest := read(t, ".github/workflows/latest.yml"); !strings.Contains(latest.text, "\n  release:\n    types: [released]\n") ||
		!regexp.MustCompile(`(?s)gh attestation verify.*--tag "\$IMAGE:latest"`).MatchString(latest.Jobs["image"].Steps[0].Run) {
		t.Errorf("latest moves otherwise:\n%s", latest.text)
	}
}
