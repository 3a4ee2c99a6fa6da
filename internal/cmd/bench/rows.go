package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// table is what is measured of one kind.
type table struct {
	title, text string
	rows        []*row
}

// row is one operation at one size.
type row struct {
	label   string
	size    int
	config  configure
	command []string
	begins  beginning
	// needed is the number of requests that cannot be avoided.
	needed  int
	builtIn bool // also measured with terraform_data
	medians map[string]sample
}

// configure adds n objects to a platform, and returns a configuration of them and
// the content of ids.json. The IDs have a file of their own, as with real users:
// Terraform reads the whole file of a resource for each warning about it.
type configure func(platform *mockplatform.Server, n int) (config string, ids []string)

// beginning is the state that each run of a row begins with.
type beginning int

const (
	empty    beginning = iota
	upToDate           // with a configuration that is in force, or differs by one value
)

var (
	planArgs  = []string{"plan", "-input=false", "-detailed-exitcode", "-lock=false", "-no-color"}
	applyArgs = []string{"apply", "-input=false", "-auto-approve", "-lock=false", "-no-color"}
)

func (r *row) applies() bool { return r.command[0] == "apply" }

// floor is the least that the operation can take: with the provider that does
// nothing, and waiting for the requests that cannot be avoided.
func (r *row) floor() time.Duration {
	return r.medians[reference].wall + latency*time.Duration((r.needed+concurrency-1)/concurrency)
}

func tables(quick bool) []table {
	plans := []*row{plan(100, services), plan(1000, services), plan(3000, services), plan(100, pipes), plan(1000, pipes), plan(1000, servicesOf(10000))}
	lists := []*row{list(300), list(1000), list(3000)}
	applies := []*row{apply(1000, services, empty), apply(1000, services, upToDate), apply(300, pipes, empty), apply(300, pipes, upToDate)}
	mapped := []*row{mapping(100, planArgs), mapping(400, planArgs), mapping(1000, planArgs), mapping(100, applyArgs), mapping(400, applyArgs), mapping(1000, applyArgs)}
	if quick {
		plans = []*row{plan(100, services), plan(1000, services), plan(100, pipes)}
		lists = lists[:2]
		applies = []*row{apply(100, services, empty), apply(100, services, upToDate), apply(30, pipes, empty), apply(30, pipes, upToDate)}
		mapped = []*row{mapping(100, planArgs), mapping(100, applyArgs)}
	}
	return []table{
		{"Planning", "A plan that finds no changes. In the last one, 1,000 services of 10,000 are managed.", plans},
		{"Reading the list of services", "A plan with the data source `dataplatform_services`. The floor contains no list.", lists},
		{"Applying", "One value of each object is written, on adoption and in a change. The time includes the plan. Each pipe is also read in the plan and before the update, which the floor does not contain.", applies},
		{"Table mappings", "One PostgreSQL pipe with a set of mappings. The change excludes another column of one table.", mapped},
		{"Starting", "Starting the provider and reading its schema, as every command does.", []*row{start()}},
	}
}

type kind struct {
	name   string
	config configure
	// reads is the number of requests that a plan over n objects needs.
	reads func(n int) int
}

var (
	services = servicesOf(0)
	pipes    = kind{"pipes", pipeConfig, func(n int) int { return n }}
)

// servicesOf is an organization that has this many services, or only those that
// are managed.
func servicesOf(all int) kind {
	config := func(platform *mockplatform.Server, n int) (string, []string) {
		ids := platform.AddServices(mockplatform.OrganizationID, max(n, all))
		return header + local + `
resource "dataplatform_service_scaling" "this" {
  count                = length(local.ids)
  service_id           = local.ids[count.index]
  num_replicas         = var.value
  idle_scaling         = true
  idle_timeout_minutes = 15
}
`, ids[:n]
	}
	name := "services"
	if all > 0 {
		name += fmt.Sprintf(" of %s", number(all))
	}
	return kind{name, config, func(int) int { return 1 }}
}

func pipeConfig(platform *mockplatform.Server, n int) (string, []string) {
	return header + local + fmt.Sprintf(`
resource "dataplatform_pipe" "this" {
  count      = length(local.ids)
  service_id = %q
  pipe_id    = local.ids[count.index]
  settings   = { engine_max_threads = var.value }
}
`, mockplatform.ServiceID), platform.AddPipes(mockplatform.ServiceID, n)
}

const header = `terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}
variable "value" {}
`

const local = `locals {
  ids = jsondecode(file("ids.json"))
}
`

func plan(n int, k kind) *row {
	return &row{label: "plan " + number(n) + " " + k.name, size: n, config: k.config, command: planArgs, begins: upToDate, needed: k.reads(n), builtIn: true}
}

func apply(n int, k kind, begins beginning) *row {
	verb := "adopt "
	if begins == upToDate {
		verb = "change "
	}
	return &row{label: verb + number(n) + " " + k.name, size: n, config: k.config, command: applyArgs, begins: begins, needed: n, builtIn: true}
}

func list(n int) *row {
	config := func(platform *mockplatform.Server, n int) (string, []string) {
		platform.AddServices(mockplatform.OrganizationID, n)
		return header + `
data "dataplatform_services" "all" {}
locals {
  ids = try({ for s in data.dataplatform_services.all.services : s.name => s.id }, {})
}
`, nil
	}
	return &row{label: "list " + number(n) + " services", size: n, config: config, command: planArgs, needed: 1}
}

func mapping(n int, command []string) *row {
	config := func(_ *mockplatform.Server, n int) (string, []string) {
		var mappings strings.Builder
		for i := range n {
			column := "internal"
			if i == 0 {
				column += "_${var.value}"
			}
			fmt.Fprintf(&mappings, "      { source_schema_name = \"public\", source_table = \"table_%04[1]d\", target_table = \"table_%04[1]d\", "+
				"excluded_columns = [%[2]q], use_custom_sorting_key = true, sorting_keys = [\"id\"] },\n", i, column)
		}
		return header + fmt.Sprintf(`
resource "dataplatform_pipe" "this" {
  service_id = %q
  pipe_id    = %q
  source = {
    postgres = {
      table_mappings = [
%s      ]
    }
  }
}
`, mockplatform.ServiceID, mockplatform.PostgresPipeID, mappings.String()), nil
	}
	label := "plan " + number(n) + " mappings"
	if command[0] == "apply" {
		label = "change one of " + number(n)
	}
	return &row{label: label, size: n, config: config, command: command, begins: upToDate, needed: 1}
}

func start() *row {
	config := func(*mockplatform.Server, int) (string, []string) { return header, nil }
	return &row{label: "start", config: config, command: []string{"providers", "schema", "-json"}}
}
