package main

import (
	"context"
	"fmt"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// chapter is a part of the story. Its second line says what it does next.
type chapter struct {
	title, next string
	steps       []step
}

// step does one thing before the audience. It fails if the outcome is not the
// expected one.
type step func(context.Context) error

const (
	eventsScaling = "PATCH …/services/" + mockplatform.ServiceID + "/scaling"
	ledgerScaling = "PATCH …/services/" + ledgerID + "/scaling"
	sensorsPipe   = "PATCH …/services/" + mockplatform.ServiceID + "/pipes/40000000-0000-4000-8000-000000000003"
	keys          = "POST …/keys"

	ledgerID = "20000000-0000-4000-8000-000000000003"
)

func chapters(s *stage, url string) []chapter {
	return []chapter{
		{
			"A fake platform",
			"It listens on " + url + ". The provider that was just built is installed from a folder.",
			[]step{s.copy("main.tf"), s.quietly("init.txt", "init")},
		},
		{
			"Import",
			"Import blocks bring a service and a pipe under Terraform; the plan shows old and new values.",
			[]step{
				s.show("service.tf", "pipe.tf"),
				s.run(expected{says: "Plan: 2 to import, 0 to add, 2 to change, 0 to destroy.", gets: 2},
					"plan", "-out=tfplan"),
				s.run(expected{
					says: "2 imported, 0 added, 2 changed, 0 destroyed.", gets: 2,
					writes: []string{
						sensorsPipe + ` {"settings":{"streaming_max_insert_wait_ms":2000}}`,
						eventsScaling + ` {"numReplicas":4,"idleTimeoutMinutes":30}`,
					},
				}, "apply", "tfplan"),
			},
		},
		{
			"Adopt without an import block",
			"The plan shows what is declared; a warning lists the values that the apply overwrites.",
			[]step{
				s.show("adopt.tf"),
				s.run(expected{says: "num_replicas: 5 now", gets: 2}, "plan", "-out=tfplan"),
				s.run(expected{
					says: "1 added, 0 changed, 0 destroyed.", gets: 1,
					writes: []string{ledgerScaling + ` {"numReplicas":3,"idleScaling":true}`},
				}, "apply", "-compact-warnings", "tfplan"),
			},
		},
		{
			"Create an API key",
			"The API returns the secret of a key only once, so Terraform keeps it in the state.",
			[]step{
				s.show("key.tf"),
				s.run(expected{
					says: "1 added, 0 changed, 0 destroyed.", gets: 2,
					writes: []string{keys + ` {"name":"sensor-loader",`},
				}, "apply", "-auto-approve"),
			},
		},
		{
			"Drift",
			"In the console, somebody changes num_replicas, which is declared, and idle_scaling, which is not; Terraform corrects the first.",
			[]step{
				s.drift(mockplatform.ServiceID, map[string]any{"numReplicas": 2, "idleScaling": false}),
				s.run(expected{says: "Plan: 0 to add, 1 to change, 0 to destroy.", gets: 2}, "plan", "-out=tfplan"),
				s.run(expected{
					says: "0 added, 1 changed, 0 destroyed.", gets: 1,
					writes: []string{eventsScaling + ` {"numReplicas":4}`},
				}, "apply", "tfplan"),
				s.run(expected{says: "No changes.", gets: 2}, "plan", "-detailed-exitcode"),
			},
		},
		{
			"Read",
			"Data sources read a list of services, one service, one pipe and one alert.",
			[]step{
				s.show("read.tf"),
				s.run(expected{says: "without changing any real infrastructure", gets: 5}, "plan"),
			},
		},
		{
			"Destroy",
			"The API cannot delete anything: destroying sends nothing, and a warning says so.",
			[]step{
				s.remove("read.tf"),
				s.run(expected{says: "Plan: 0 to add, 0 to change, 4 to destroy.", gets: 2}, "plan", "-destroy", "-out=tfplan"),
				s.run(expected{says: "4 destroyed.", gets: 0}, "apply", "-compact-warnings", "tfplan"),
			},
		},
		{
			"Values on the platform now",
			"They are read from the platform directly, without Terraform.",
			[]step{
				s.blankLine,
				s.holds(mockplatform.ServiceID, map[string]any{"numReplicas": 4, "idleTimeoutMinutes": 30, "idleScaling": false}),
				s.holds(ledgerID, map[string]any{"numReplicas": 3, "idleTimeoutMinutes": 30, "idleScaling": true}),
				s.holdsKeys(1),
			},
		},
	}
}

func (s *stage) blankLine(context.Context) error {
	s.print()
	return nil
}

// drift changes a service as its console would.
func (s *stage) drift(id string, values map[string]any) step {
	return func(context.Context) error {
		s.platform.UpdateService(id, func(doc mockplatform.Document) {
			for name, value := range values {
				doc[name] = value
			}
		})
		return nil
	}
}

// holds prints values of a service, which must be these.
func (s *stage) holds(id string, want map[string]any) step {
	return func(context.Context) error {
		service := s.platform.Service(id)
		have := map[string]any{}
		for name := range want {
			have[name] = service[name]
		}
		s.print(fmt.Sprintf("service %v: numReplicas %v, idleTimeoutMinutes %v, idleScaling %v",
			service["name"], have["numReplicas"], have["idleTimeoutMinutes"], have["idleScaling"]))
		if fmt.Sprint(have) != fmt.Sprint(want) {
			return fmt.Errorf("the platform holds %v for service %s, and not %v", have, id, want)
		}
		return nil
	}
}

func (s *stage) holdsKeys(want int) step {
	return func(context.Context) error {
		for _, key := range s.platform.Keys() {
			if request, ok := key["request"].(mockplatform.Document); ok {
				s.print(fmt.Sprintf("key %v: valid until %v", request["name"], request["expireAt"]))
			}
		}
		if have := len(s.platform.Keys()); have != want {
			return fmt.Errorf("the platform holds %d keys, and not %d", have, want)
		}
		return nil
	}
}
