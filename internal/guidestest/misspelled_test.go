package guidestest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The rule of the scenario that finds misspelled members of nested objects, and ci/lint.sh,
// which runs it.

// linters puts TFLint and the rule where ci/lint.sh looks for them. It reports whether
// make tflint has built them.
func (w *workspace) linters() bool {
	w.T.Helper()
	built, err := filepath.Abs("../../bin/tflint.d")
	if err != nil {
		w.T.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(built, "tflint")); err != nil {
		return false
	}
	err = os.Mkdir(filepath.Join(w.Dir, ".tflint.d"), 0o700)
	for _, name := range []string{"tflint", "tflint-ruleset-members"} {
		err = errors.Join(err, os.Symlink(filepath.Join(built, name), filepath.Join(w.Dir, ".tflint.d", name)))
	}
	if err != nil {
		w.T.Fatal(err)
	}
	return true
}

// newLinted is a workspace with the scenario, the linters and these files, each of which
// may be in a directory of its own.
func newLinted(t *testing.T, files map[string]string) *workspace {
	t.Helper()
	w := newReader(t)
	needs(t, "Requires Terraform 1.11 or OpenTofu 1.11 or later, and jq.\n")
	w.addScenario()
	if !w.linters() {
		t.Skip("make tflint builds what this needs")
	}
	for name, content := range files {
		path := filepath.Join(w.Dir, name)
		// Not by w.File: no Terraform reads these.
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
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

// TestExamplesAreLinted runs ci/lint.sh, with the recommended rules of TFLint, on the
// scenario and all other examples, each in a directory of its own with the versions that it
// lacks.
func TestExamplesAreLinted(t *testing.T) {
	files := map[string]string{}
	walk(t, func(name string) {
		if filepath.Ext(name) != ".tf" {
			return
		}
		dir := fmt.Sprintf("example-%d", len(files))
		content := fileText(t, filepath.Join(examplesDir, name))
		files[filepath.Join(dir, "example.tf")] = content
		switch versions := filepath.Join(dir, "versions.tf"); {
		case !strings.Contains(content, "required_providers"):
			files[versions] = lintedTerraform
		case !strings.Contains(content, "required_version"):
			files[versions] = "terraform {\n  required_version = \">= 1.5\"\n}\n"
		}
	})
	if len(files) < 40 {
		t.Errorf("only %d files", len(files))
	}
	w := newLinted(t, files)
	if err := os.CopyFS(filepath.Join(w.Dir, "demo"), os.DirFS(examplesDir+"/demo")); err != nil {
		t.Fatal(err)
	}
	if out := strings.TrimSpace(w.shell("bash ci/lint.sh 2>&1 && bash ci/lint.sh --var-file=environments/production.tfvars 2>&1")); out != "" {
		t.Errorf("TFLint found\n%s", out)
	}
}

const copyModule = lintedTerraform + `
variable "settings" { type = any }

resource "dataplatform_pipe" "this" {
  settings = var.settings
}
`

// TestMisspelledMembers has the ways that a misspelled name takes to a resource.
func TestMisspelledMembers(t *testing.T) {
	w := newLinted(t, map[string]string{"ways.tf": `
locals {
  settings = { engine_local = 3 }
  pipe     = jsondecode(file("${path.module}/pipe.json"))
}

variable "any" {
  type    = any
  default = { postgres = { table_mappings = [{ excluded_any = [] }] } }
}

variable "hidden" {
  type      = any
  sensitive = true
  ephemeral = true
  default   = { kafka = { user_hidden = "u" } }
}

variable "typed" {
  type    = map(object({ id = string, size = optional(object({ replicas = optional(number) })) }))
  default = { a = { id = "x", size = { replicas_typed = 2 } } }
}

variable "unset" { type = any }

resource "dataplatform_pipe" "values" {
  settings           = local.settings
  source             = var.any
  source_credentials = var.hidden
}

resource "dataplatform_pipe" "merged" {
  settings = merge(local.pipe.settings, { engine_merged = 1 })
}

resource "dataplatform_pipe" "written" {
  for_each = var.unset
  settings = var.unset == null ? null : { engine_written = each.value.threads }
  source   = { postgres = { table_mappings = [for table in each.value.tables : { sorting_written = table.keys }] } }
}

resource "dataplatform_pipe" "each" {
  for_each = { a = { engine_each = 1 } }
  settings = each.value
}

data "dataplatform_services" "all" { filter = ["written"] }

module "copies" {
  source   = "./modules/copy"
  for_each = { a = { engine_copy = 1 } }
  settings = each.value
}

module "called" {
  source      = "./modules/team"
  team        = "ingest"
  environment = "staging"
  services    = { a = { id = "x", num_called = 3 } }
}
`, "pipe.json": `{"settings":{"engine_file":1}}`, "modules/copy/main.tf": copyModule})
	const module, values = "modules/team/main.tf", "environments/production.tfvars"
	w.edit(module, "settings = var.import_only ? null : {\n    streaming_max_insert_wait_ms", "settings = var.import_only ? null : {\n    streaming_module")
	w.edit(module, "description = description }", "description_module = description }")
	w.edit(module, "    cloud_stream = each", "    cloud_module = each")
	w.edit(values, `username = "orders-loader"`, `user_file = "orders-loader"`)
	w.edit(values, "always_on = true", "always_file = true")
	want := strings.Fields(`
		dataplatform_pipe.values:settings.engine_local
		dataplatform_pipe.values:source.postgres.table_mappings.excluded_any
		dataplatform_pipe.values:source_credentials.kafka.user_hidden
		dataplatform_pipe.merged:settings.engine_merged
		dataplatform_pipe.merged:settings.engine_file
		dataplatform_pipe.written:settings.engine_written
		dataplatform_pipe.written:source.postgres.table_mappings.sorting_written
		dataplatform_pipe.each:settings.engine_each
		dataplatform_pipe.this:settings.engine_copy
		var.typed:default[…].size.replicas_typed
		module.called:services[…].num_called
		dataplatform_pipe.this:settings.streaming_module
		dataplatform_api_key.this:ip_access_list.description_module
		dataplatform_pipe.this:source_credentials.cloud_module
		environments/production.tfvars:pipes[…].kafka.user_file
		environments/production.tfvars:services[…].always_file`)
	out := w.wantScript("bash ci/lint.sh", 2)
	for _, name := range want {
		wantText(t, out, strings.Replace(name, ":", " has no ", 1)+".")
	}
	if got := strings.Count(out, "(misspelled_members)"); got != len(want) {
		t.Errorf("%d names, want %d:\n%s", got, len(want), out)
	}
}

// TestMisspelledUnseen has what the guide says that the rule cannot see, and how to see it.
func TestMisspelledUnseen(t *testing.T) {
	w := newLinted(t, map[string]string{"ways.tf": `
variable "typed" { type = object({ id = optional(string) }) }

variable "any" { type = any }

resource "dataplatform_pipe" "unseen" {
  service_id = var.typed.id
  settings = var.any
}

resource "dataplatform_pipe" "planned" {
  settings = jsondecode(dataplatform_pipe.unseen.name)
}

module "copies" {
  source   = "./modules/copy"
  for_each = var.any
  settings = { engine_copy = each.value }
}
`, "modules/copy/main.tf": copyModule, "values.tfvars": "any = { engine_any = 1 }\n", "modules/copy/values.tfvars": "settings = { engine_copy = 1 }\n"})
	w.setenv("TF_VAR_typed={ id_unseen = 1 }")
	w.wantScript("bash ci/lint.sh", 0)
	w.wantScript("bash ci/lint.sh --var-file=values.tfvars", 2, "dataplatform_pipe.unseen has no settings.engine_any.")
	const inModule = `TFLINT_PLUGIN_DIR=$PWD/.tflint.d .tflint.d/tflint --config="$PWD/.tflint.hcl" --chdir=modules/copy --var-file=values.tfvars`
	w.wantScript(inModule, 2, "dataplatform_pipe.this has no settings.engine_copy.")
}
