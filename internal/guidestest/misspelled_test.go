package guidestest

import (
	"errors"
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

// newLinted is a workspace with the scenario and the linters.
func newLinted(t *testing.T) *workspace {
	t.Helper()
	w := newReader(t)
	needs(t, "Requires Terraform 1.11 or OpenTofu 1.11 or later, and jq.\n")
	w.addScenario()
	if !w.linters() {
		t.Skip("make tflint builds what this needs")
	}
	return w
}

// TestExamplesAreLinted runs ci/lint.sh, with the recommended rules of TFLint, on the
// scenario and all other examples. A value that is given to it is followed.
func TestExamplesAreLinted(t *testing.T) {
	w := newLinted(t)
	for _, kind := range []string{"data-sources", "demo", "provider", "resources"} {
		if err := os.CopyFS(filepath.Join(w.Dir, kind), os.DirFS(filepath.Join(examplesDir, kind))); err != nil {
			t.Fatal(err)
		}
	}
	if out := strings.TrimSpace(w.shell("terraform init >/dev/null && bash ci/lint.sh 2>&1 && bash ci/lint.sh --var-file=environments/production.tfvars 2>&1")); out != "" {
		t.Errorf("TFLint found\n%s", out)
	}
	w.File("given.tf", "variable \"given\" { type = any }\nresource \"dataplatform_pipe\" \"given\" { settings = var.given }\n")
	w.File("given.tfvars", "given = { engine_given = 1 }\n")
	w.wantScript("bash ci/lint.sh", 0)
	w.wantScript("bash ci/lint.sh --var-file=given.tfvars", 2, "dataplatform_pipe.given has no settings.engine_given.")
}

const copyModule = `
terraform {
  required_version = ">= 1.11"

  required_providers {
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = ">= 0.1.0"
    }
  }
}

variable "settings" { type = any }

resource "dataplatform_pipe" "this" {
  settings = var.settings
}
`

// TestMisspelledMembers has the ways that a misspelled name takes to a resource.
func TestMisspelledMembers(t *testing.T) {
	w := newLinted(t)
	w.File("ways.tf", `
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
`)
	w.File("pipe.json", `{"settings":{"engine_file":1}}`)
	w.shell("mkdir modules/copy")
	w.File("modules/copy/main.tf", copyModule)
	w.shell("terraform init")
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
