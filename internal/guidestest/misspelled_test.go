package guidestest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The rule of the scenario that finds misspelled members of nested objects.

// linters puts TFLint and the rule where the workflow builds them. It reports whether
// make tflint has built them.
func (w *workspace) linters() bool {
	w.T.Helper()
	built := absolute(w.T, "../../bin/tflint.d")
	if _, err := os.Stat(built); err != nil {
		return false
	}
	w.shell(fmt.Sprintf("mkdir .tflint.d && ln -s %q/tflint* .tflint.d", built))
	return true
}

// newLinted is a workspace with the scenario and the linters.
func newLinted(t *testing.T) *workspace {
	t.Helper()
	w := newScenario(t)
	if !w.linters() {
		t.Skip("make tflint builds what this needs")
	}
	return w
}

// lint is what the README has after the build.
func lint(t *testing.T) string {
	t.Helper()
	_, commands, _ := strings.Cut(readPage(t, scenarioDir+"/README.md").block(t, "go build").text, "\n")
	return commands
}

// TestExamplesAreLinted runs the rule, with the recommended rules of TFLint, on the
// scenario and all other examples. A value that is given to it is followed.
func TestExamplesAreLinted(t *testing.T) {
	w := newLinted(t)
	for _, kind := range []string{"data-sources", "demo", "functions", "provider", "resources"} {
		w.copies(examplesDir+"/"+kind, kind)
	}
	w.shell("terraform init\n" + lint(t))
	w.File("given.tf", "variable \"given\" { type = any }\nresource \"dataplatform_pipe\" \"given\" { settings = var.given }\n")
	w.File("given.tfvars", "given = { engine_given = 1 }\n")
	_, tflint, _ := strings.Cut(strings.TrimSpace(lint(t)), "\n")
	w.wantScript(strings.Replace(tflint, "--recursive", "--var-file=given.tfvars", 1), 2, "dataplatform_pipe.given has no settings.engine_given.")
}

// TestMisspelledMembersAreFound has the ways that a misspelled name takes to a resource: what is written, and
// the values of locals, variables, functions and for_each.
func TestMisspelledMembersAreFound(t *testing.T) {
	w := newLinted(t)
	w.File("ways.tf", `
locals {
  settings = { engine_local = 3 }
}

variable "hidden" {
  type      = any
  sensitive = true
  default   = { postgres = { table_mappings = { "a.b:c" = { excluded_hidden = [] } } } }
}

variable "typed" {
  type    = map(object({ id = string, size = optional(object({ replicas = optional(number) })) }))
  default = { a = { id = "x", size = { replicas_typed = 2 } } }
}

variable "unset" { type = any }

resource "dataplatform_pipe" "evaluated" {
  settings = local.settings
  source   = var.hidden
}

resource "dataplatform_pipe" "each" {
  for_each = { a = { engine_each = 1 } }
  settings = each.value
}

resource "dataplatform_pipe" "written" {
  for_each = var.unset
  settings = var.unset == null ? null : { engine_written = each.value.threads }
  source   = { postgres = { table_mappings = { for table in each.value.tables : table.key => { sorting_written = table.keys } } } }
}

module "called" {
  source      = "./modules/team"
  environment = "staging"
  services    = merge({ a = { id = "x", num_called = 3 } }, yamldecode(file("services.yaml")))
}
`)
	w.File("services.yaml", "b: { id: x, num_yaml: 3 }\n")
	w.edit("modules/team/main.tf", "    streaming_max_insert_wait_ms", "    streaming_module")
	w.edit("environments/production.tfvars", `username = "crm-replication"`, `user_file = "crm-replication"`)
	w.edit("keys/environments/production.tfvars", `addresses = {`, `address = {`)
	w.shell("terraform init")
	names := []string{
		"dataplatform_pipe.evaluated has no settings.engine_local.",
		`dataplatform_pipe.evaluated has no source.postgres.table_mappings["a.b:c"].excluded_hidden.`,
		"dataplatform_pipe.each has no settings.engine_each.",
		"dataplatform_pipe.written has no settings.engine_written.",
		"dataplatform_pipe.written has no source.postgres.table_mappings.sorting_written.",
		"dataplatform_pipe.this has no settings.streaming_module.",
		`var.typed has no default["a"].size.replicas_typed.`,
		`module.called has no services["a"].num_called.`,
		`module.called has no services["b"].num_yaml.`,
		`environments/production.tfvars has no pipes["customers"].postgres.user_file.`,
		`keys/environments/production.tfvars has no applications["loader"].address.`,
	}
	w.File("lint.sh", lint(t))
	out := w.wantScript("bash -e lint.sh", 2, names...)
	if got := strings.Count(out, "(misspelled_members)"); got != len(names) {
		t.Errorf("%d names, want %d:\n%s", got, len(names), out)
	}
}
