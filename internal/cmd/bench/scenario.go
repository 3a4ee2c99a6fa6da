package main

import (
	"fmt"
	"strings"
	"time"
)

// A group is what is measured in turn: subjects at one size.
type group struct {
	title    string
	size     int
	latency  time.Duration
	services int // of the platform, where more than mostServices
	command  []string
	subjects []subject
}

// subject is one configuration, and the folder of the provider it needs.
type subject struct {
	name     string
	provider string // "provider", "untuned", "tuned" or "" for none
	config   func(b *bench, size int) string
}

var (
	builtIn = subject{"terraform_data", "", func(_ *bench, n int) string {
		return fmt.Sprintf("resource \"terraform_data\" \"this\" {\n  count = %d\n  input = count.index\n}\n", n)
	}}
	untuned   = subject{"reference, untuned", "untuned", reference}
	tuned     = subject{"reference, tuned", "tuned", reference}
	scaling   = subject{"service_scaling", "provider", scalings}
	pipe      = subject{"pipe", "provider", pipes}
	planArgs  = []string{"plan", "-input=false", "-detailed-exitcode", "-lock=false"}
	startArgs = []string{"providers", "schema", "-json"}
)

func groups(quick bool) []group {
	var all []group
	sizes := []int{100, 1000, 3000}
	if quick {
		sizes = sizes[:2]
	}
	for _, latency := range []time.Duration{0, slow} {
		for _, size := range sizes {
			subjects := []subject{builtIn, untuned, tuned, scaling}
			if size < 3000 {
				subjects = append(subjects, pipe)
			}
			all = append(all, group{
				title: fmt.Sprintf("plan, %d resources, %s latency", size, latency),
				size:  size, latency: latency, command: planArgs, subjects: subjects,
			})
		}
	}
	return append(all,
		group{title: "start-up", command: startArgs, subjects: []subject{untuned, scaling}},
		group{
			title: fmt.Sprintf("plan, 1000 of %d services, %s latency", manyServices, slow),
			size:  1000, latency: slow, services: manyServices, command: planArgs, subjects: []subject{tuned, scaling},
		},
	)
}

const required = "terraform {\n  required_providers {\n    %s = { source = \"dataplatform/%s\" }\n  }\n}\n"

func reference(_ *bench, n int) string {
	return fmt.Sprintf(required, "reference", "reference") + ids(n) + `
resource "reference_service_scaling" "this" {
  count                = length(local.ids)
  service_id           = local.ids[count.index]
  organization_id      = "10000000-0000-4000-8000-000000000001"
  num_replicas         = 3
  idle_scaling         = true
  idle_timeout_minutes = 15
}
`
}

// ids is a list of made-up ids, as long as those of the platform.
func ids(n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("%08d-0000-4000-8000-000000000000", i))
	}
	return idsOf(all)
}

func idsOf(all []string) string {
	return "locals {\n  ids = [\"" + strings.Join(all, "\", \"") + "\"]\n}\n"
}

func scalings(b *bench, n int) string {
	return fmt.Sprintf(required, "dataplatform", "dataplatform") + idsOf(b.services[:n]) + `
resource "dataplatform_service_scaling" "this" {
  count                = length(local.ids)
  service_id           = local.ids[count.index]
  num_replicas         = 3
  idle_scaling         = true
  idle_timeout_minutes = 15
}
`
}

func pipes(b *bench, n int) string {
	return fmt.Sprintf(required, "dataplatform", "dataplatform") + idsOf(b.pipes[:n]) + fmt.Sprintf(`
resource "dataplatform_pipe" "this" {
  count      = length(local.ids)
  service_id = %q
  pipe_id    = local.ids[count.index]
  settings   = { engine_max_threads = 8 }
}
`, b.pipeService)
}
