package guidestest

import (
	"fmt"
	"strings"
	"testing"
)

// moduleUser is a reader who uses the guide's module, with an import block, and with the tables of a file.
func moduleUser(t *testing.T) (w *workspace, p *page, module string) {
	t.Helper()
	p = readPage(t, guide("publishing-a-module"))
	needs(t, p.text)
	module = p.block(t, "# main.tf").text
	tables, _, _ := strings.Cut(fileText(t, examplesDir+"/resources/dataplatform_pipe/resource_tables.tf"), "\n}\n")
	w = newReader(t).setenv("TF_CLI_ARGS_apply=-auto-approve")
	w.shell("mkdir ingest")
	w.File("ingest/main.tf", module)
	w.File("tables.csv", fileText(t, examplesDir+"/resources/dataplatform_pipe/tables.csv")+"sales,leads,sales_leads,notes,\n")
	w.File("main.tf", tables+"\n}\n"+p.block(t, `module "ingest"`).text)
	w.edit("main.tf", "  pipes = {\n", "  pipes = {\n    orders = { id = \"40000000-0000-4000-8000-000000000001\", threads = 16 }\n")
	w.File("import.tf", `import {
  to = module.ingest.dataplatform_pipe.this["orders"]
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000001"
}
import {
  to = module.ingest.dataplatform_pipe.this["customers"]
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000004"
}
`)
	w.File("versions.tf", plainProvider)
	w.shell("terraform init")
	wantText(t, w.shell("terraform apply"), "2 imported, 0 added, 1 changed, 0 destroyed.") // the threads
	w.ResetJournal()
	return w, p, module
}

// TestModuleRenamesAnAttribute shows what users of the guide's module see where a name is misspelled or changes: nothing,
// where it is the pipe's, tables that are copied again, and columns that are copied, where it is a table's; and what the
// check and the validation of the guide say.
func TestModuleRenamesAnAttribute(t *testing.T) {
	w, p, module := moduleUser(t)
	w.shell("cp main.tf main.kept; sed -i.bak 's/ tables = local/ tabels = local/' main.tf")
	wantText(t, w.shell("terraform validate && terraform plan"), "No changes.") // as the page on CI/CD says
	w.shell("mv main.kept main.tf")

	renamed := func(old, name string, more ...string) string {
		return strings.NewReplacer(append(more, old+" ", name+" ", "each.value."+old, "each.value."+name)...).Replace(module)
	}
	w.File("ingest/main.tf", renamed("threads", "max_threads"))
	wantText(t, w.shell("terraform plan"), "No changes.") // the value is unmanaged

	const mapped = "{ for key, t in each.value.tables : key => merge(t, { %s = t.%s }) }"
	member := func(old, name, kind string) string {
		text := renamed(old, name, old+"       = set(string)", name+" = "+kind)
		return strings.Replace(text, "table_mappings = each.value.tables", "table_mappings = "+fmt.Sprintf(mapped, old, name), 1)
	}
	w.File("ingest/main.tf", strings.Replace(member("sorting_keys", "sorting", ""), "merge(t, {", "merge(t, { use_custom_sorting_key = false,", 1))
	wantText(t, w.shell("terraform plan"), "Removed and added again", `"public.customers:customers": sorting_keys`)
	w.File("ingest/main.tf", member("excluded_columns", "excluded", "optional(set(string), [])"))
	wantText(t, w.shell("terraform plan"), "Columns that will be copied from now on", `"public.customers:customers": password_hash, phone`)

	both := strings.NewReplacer("    threads = optional(number)\n", "    threads = optional(number)\n    max_threads = optional(number)\n",
		"each.value.threads == null ? null : { engine_max_threads = each.value.threads }", "{ engine_max_threads = try(coalesce(each.value.max_threads, each.value.threads), null) }").Replace(module)
	w.File("ingest/main.tf", both+p.block(t, "check ").text)
	wantText(t, w.shell("terraform plan -detailed-exitcode"), "No changes.", "Warning: Check block assertion failed", "threads is called max_threads, and will be removed in 2.0.0.")

	before, rest, _ := strings.Cut(module, "variable \"pipes\"")
	_, after, _ := strings.Cut(rest, "\n}\n")
	w.File("ingest/main.tf", strings.NewReplacer("each.value.threads", "each.value.max_threads", "each.value.tables", "null").Replace(before+p.block(t, "renamed in 2.0.0").text+after))
	w.wantScript("terraform plan", 1, "threads is called max_threads since version 2.0.0.")
}

// TestModuleMovesAResource shows what a user sees who still has the import block, who follows the guide, and where the
// block is missing.
func TestModuleMovesAResource(t *testing.T) {
	w, p, module := moduleUser(t)
	renamed := strings.ReplaceAll(module, `"dataplatform_pipe" "this"`, `"dataplatform_pipe" "all"`)
	moved, _, _ := strings.Cut(p.block(t, "from = dataplatform_pipe.this").text, "\n\n")
	w.File("ingest/main.tf", renamed+moved)
	message := "Configuration for import target does not exist"
	if program := programUnder(t); !program.OpenTofu && !program.OlderThan("1.16", "") {
		message = "hashicorp/dataplatform"
	}
	w.wantScript("terraform plan", 1, message)
	w.shell("cp import.tf import.kept; sed -i.bak 's/pipe.this/pipe.all/' import.tf")
	wantText(t, w.shell("terraform plan"), "has moved to", "0 to add, 0 to change, 0 to destroy.")
	w.shell("rm import.tf")
	wantText(t, w.shell("terraform plan"), "has moved to", "0 to add, 0 to change, 0 to destroy.")
	w.File("ingest/main.tf", renamed)
	wantText(t, w.shell("terraform plan"), "2 to add, 0 to change, 2 to destroy.")

	// Another key of the map.
	w.File("ingest/main.tf", module)
	w.edit("main.tf", "    orders = {", "    sales = {")
	w.File("moved.tf", "moved {\n  from = module.ingest.dataplatform_pipe.this[\"orders\"]\n  to   = module.ingest.dataplatform_pipe.this[\"sales\"]\n}\n")
	wantText(t, w.shell("terraform plan"), "has moved to", "0 to add, 0 to change, 0 to destroy.")
	w.shell("mv import.kept import.tf")
	w.wantScript("terraform plan", 1, "Configuration for import target does not exist")
	w.wantWrites()
}
