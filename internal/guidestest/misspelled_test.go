package guidestest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The rule of the scenario that finds misspelled members of nested objects, and ci/lint.sh,
// which runs it.

// linters puts TFLint and the rule where ci/lint.sh looks for them. It reports whether
// make tflint has built them.
func (w *workspace) linters() bool {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(w.Dir, ".tflint.d"), 0o700); err != nil {
		w.t.Fatal(err)
	}
	for _, name := range []string{"tflint", "tflint-ruleset-members"} {
		program, err := filepath.Abs(filepath.Join("..", "..", "bin", "tflint.d", name))
		if err != nil {
			w.t.Fatal(err)
		}
		if _, err := os.Stat(program); err != nil {
			return false
		}
		if err := os.Symlink(program, filepath.Join(w.Dir, ".tflint.d", name)); err != nil {
			w.t.Fatal(err)
		}
	}
	return true
}

// linted is a workspace with the linters and these files, each of which may be in a
// directory of its own.
func (f *fixture) linted(files map[string]string) *workspace {
	f.t.Helper()
	skipIfReaderCannot(f.t, "Requires Terraform 1.11 or OpenTofu 1.11 or later, and jq.\n")
	w := f.reader()
	if !w.linters() {
		f.t.Skip("make tflint builds what this needs")
	}
	copyScenario(f.t, w)
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(w.Dir, name)), 0o700); err != nil {
			f.t.Fatal(err)
		}
		// Not by w.File: no Terraform reads these.
		if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(content), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	w.shell("terraform init")
	return w
}

const lintedTerraform = `
terraform {
  required_version = ">= 1.11"

  required_providers {
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = ">= 0.1.0"
    }
  }
}
`

// exampleFiles are the examples, each in a directory of its own.
func exampleFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(examplesDir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "scenario":
			return fs.SkipDir
		case filepath.Ext(path) != ".tf":
			return nil
		}
		content, err := os.ReadFile(path)
		dir := fmt.Sprintf("example-%d", len(files))
		if filepath.Base(filepath.Dir(path)) == "demo" {
			dir = "demo" // one configuration
		}
		files[filepath.Join(dir, entry.Name())] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Errorf("only %d examples", len(files))
	}
	return files
}

// withVersions adds what every configuration needs to those that lack it.
func withVersions(files map[string]string) map[string]string {
	all := map[string]string{}
	for name, content := range files {
		all[name] = content
		versions := filepath.Join(filepath.Dir(name), "versions.tf")
		switch {
		case strings.HasPrefix(name, "demo"):
		case !strings.Contains(content, "required_providers"):
			all[versions] = lintedTerraform
		case !strings.Contains(content, "required_version"):
			all[versions] = "terraform {\n  required_version = \">= 1.5\"\n}\n"
		}
	}
	return all
}

// TestExamplesAreLinted runs ci/lint.sh, with the recommended rules of TFLint, on the
// scenario and all other examples.
func TestExamplesAreLinted(t *testing.T) {
	f := newFixture(t)
	w := f.linted(withVersions(exampleFiles(t)))
	if out := strings.TrimSpace(w.shell("bash ci/lint.sh 2>&1 && bash ci/lint.sh --var-file=environments/production.tfvars 2>&1")); out != "" {
		t.Errorf("TFLint found\n%s", out)
	}
}

// nestedMember is the name of a member of a nested object, in a line of its own or among others.
var nestedMember = regexp.MustCompile(`(?m)(?:^ {3} +|[{,] )([a-z_]+) += `)

// TestExamplesMisspelled misspells each nested member of each example of a resource, one
// at a time, and finds all of them.
func TestExamplesMisspelled(t *testing.T) {
	f := newFixture(t)
	files := map[string]string{}
	for _, content := range exampleFiles(t) {
		_, resource, ok := strings.Cut(content, "\nresource ")
		if !ok {
			resource, ok = strings.CutPrefix(content, "resource ")
		}
		if !ok {
			continue
		}
		before := content[:len(content)-len(resource)]
		for _, at := range nestedMember.FindAllStringSubmatchIndex(resource, -1) {
			if name := resource[at[2]:at[3]]; name == "create_before_destroy" || strings.Contains(resource[:at[2]], "rotation_triggers = {\n") && !strings.Contains(resource[strings.LastIndex(resource[:at[2]], "rotation_triggers"):at[2]], "}") {
				continue // a block, and a map
			}
			files[fmt.Sprintf("copy-%d/example.tf", len(files))] = before + resource[:at[3]] + "_x" + resource[at[3]:]
		}
	}
	if len(files) < 40 {
		t.Errorf("only %d members", len(files))
	}
	w := f.linted(withVersions(files))
	out := w.wantScript("bash ci/lint.sh", 2, fmt.Sprintf("%d issue(s) found", len(files)))
	for name, content := range files {
		wrong := regexp.MustCompile(`\w+_x\b`).FindString(content)
		wantText(t, out, fmt.Sprintf("%s. Terraform silently ignores it: check the spelling. (misspelled_members) on %s line", wrong, name))
	}
}

const copyModule = lintedTerraform + `
variable "settings" {
  type = any
}

resource "dataplatform_pipe" "this" {
  service_id = "x"
  pipe_id    = "y"
  settings   = var.settings
}
`

// TestMisspelledMembers has the ways that a misspelled name takes to a resource.
func TestMisspelledMembers(t *testing.T) {
	f := newFixture(t)
	w := f.linted(map[string]string{"ways.tf": `
locals {
  settings = { engine_local = 3 }
  pipe     = jsondecode(file("${path.module}/pipe.json"))
}

variable "any" {
  type = any
  default = {
    postgres = { table_mappings = [{ excluded_any = [] }] }
  }
}

variable "hidden" {
  type      = any
  sensitive = true
  ephemeral = true
  default   = { kafka = { user_hidden = "u" } }
}

variable "typed" {
  type = map(object({
    id   = string
    size = optional(object({ replicas = optional(number) }))
  }))
  default = { a = { id = "x", size = { replicas_typed = 2 } } }
}

variable "unset" {
  type = any
}

resource "dataplatform_pipe" "values" {
  service_id         = "x"
  pipe_id            = "y"
  settings           = local.settings
  source             = var.any
  source_credentials = var.hidden
}

resource "dataplatform_pipe" "merged" {
  service_id = "x"
  pipe_id    = "y"
  settings   = merge(local.pipe.settings, { engine_merged = 1 })
}

resource "dataplatform_pipe" "written" {
  for_each = var.unset

  service_id = each.key
  pipe_id    = "y"
  settings   = var.unset == null ? null : { engine_written = each.value.threads }
  source     = { postgres = { table_mappings = [for table in each.value.tables : { sorting_written = table.keys }] } }
}

resource "dataplatform_pipe" "each" {
  for_each = { a = { engine_each = 1 } }

  service_id = "x"
  pipe_id    = "y"
  settings   = each.value
}

data "dataplatform_services" "all" {
  filter = ["written"]
}

module "copies" {
  source   = "./modules/copy"
  for_each = { a = { engine_copy = 1 } }

  settings = each.value
}

module "called" {
  source = "./modules/team"

  team        = "ingest"
  environment = "staging"
  services    = { a = { id = "x", num_called = 3 } }
}
`, "pipe.json": `{"settings":{"engine_file":1}}`, "modules/copy/main.tf": copyModule})
	w.edit("modules/team/main.tf", "settings = var.import_only ? null : {\n    streaming_max_insert_wait_ms", "settings = var.import_only ? null : {\n    streaming_module")
	w.edit("modules/team/main.tf", "description = description }", "description_module = description }")
	w.edit("modules/team/main.tf", "    cloud_stream = each", "    cloud_module = each")
	w.edit("environments/production.tfvars", `username = "orders-loader"`, `user_file = "orders-loader"`)
	w.edit("environments/production.tfvars", "always_on = true", "always_file = true")
	out := w.wantScript("bash ci/lint.sh", 2)
	want := []string{
		"dataplatform_pipe.values has no settings.engine_local.", "dataplatform_pipe.values has no source.postgres.table_mappings.excluded_any.",
		"dataplatform_pipe.values has no source_credentials.kafka.user_hidden.", "dataplatform_pipe.merged has no settings.engine_merged.", "dataplatform_pipe.merged has no settings.engine_file.",
		"dataplatform_pipe.written has no settings.engine_written.", "dataplatform_pipe.written has no source.postgres.table_mappings.sorting_written.", "dataplatform_pipe.each has no settings.engine_each.",
		"dataplatform_pipe.this has no settings.engine_copy.", "var.typed has no default[…].size.replicas_typed.", "module.called has no services[…].num_called.",
		"dataplatform_pipe.this has no settings.streaming_module.", "dataplatform_api_key.this has no ip_access_list.description_module.", "dataplatform_pipe.this has no source_credentials.cloud_module.",
		"environments/production.tfvars has no pipes[…].kafka.user_file.", "environments/production.tfvars has no services[…].always_file.",
	}
	wantText(t, out, want...)
	if got := strings.Count(out, "(misspelled_members)"); got != len(want) {
		t.Errorf("%d names, want %d:\n%s", got, len(want), out)
	}
}

// TestMisspelledUnseen has what the guide says that the rule cannot see, and how to see it.
func TestMisspelledUnseen(t *testing.T) {
	f := newFixture(t)
	w := f.linted(map[string]string{"ways.tf": `
variable "typed" {
  type = object({ id = optional(string) })
}

variable "any" {
  type = any
}

resource "dataplatform_pipe" "unseen" {
  service_id = var.typed.id
  pipe_id    = "y"
  settings   = var.any
}

resource "dataplatform_pipe" "planned" {
  service_id = "x"
  pipe_id    = "y"
  settings   = jsondecode(dataplatform_pipe.unseen.name)
}

module "copies" {
  source   = "./modules/copy"
  for_each = var.any

  settings = { engine_copy = each.value }
}
`, "modules/copy/main.tf": copyModule, "values.tfvars": "any = { engine_any = 1 }\n", "modules/copy/values.tfvars": "settings = { engine_copy = 1 }\n"})
	w.setenv("TF_VAR_typed={ id_unseen = 1 }")
	w.wantScript("bash ci/lint.sh", 0)
	wantText(t, w.wantScript("bash ci/lint.sh --var-file=values.tfvars", 2), "dataplatform_pipe.unseen has no settings.engine_any.")
	wantText(t, w.wantScript(`TFLINT_PLUGIN_DIR=$PWD/.tflint.d .tflint.d/tflint --config="$PWD/.tflint.hcl" --chdir=modules/copy --var-file=values.tfvars`, 2), "dataplatform_pipe.this has no settings.engine_copy.")
}
