package provider

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestCallsAreNotKept makes each call for an adopted object many times: nothing of a call is kept. The
// framework keeps the context of each call that reaches it, with its loggers and its stream, until the
// provider ends.
func TestCallsAreNotKept(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	for _, b := range []*managed{
		f.pipe(mockplatform.KafkaPipeID, `name = "n"`),
		f.scaling(mockplatform.ServiceID, `num_replicas = 5`),
	} {
		b.apply()
		state, config := b.block.Schema.Encode(b.block.State.Value), b.block.Schema.Encode(b.block.Config)
		id := mockplatform.ServiceID
		if b.id != id {
			id += "/" + b.id
		}
		for call, play := range map[string]func(context.Context) error{
			"ValidateResourceConfig": func(ctx context.Context) error {
				_, err := s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: b.name, Config: config})
				return err
			},
			"UpgradeResourceState": func(ctx context.Context) error {
				stored := []byte(toJSON(t, object{"service_id": mockplatform.ServiceID}))
				_, err := s.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: b.name, RawState: &tfprotov6.RawState{JSON: stored}})
				return err
			},
			"ImportResourceState": func(ctx context.Context) error {
				_, err := s.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: b.name, ID: id})
				return err
			},
			"ReadResource": func(ctx context.Context) error {
				_, err := s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: b.name, CurrentState: state})
				return err
			},
			"PlanResourceChange": func(ctx context.Context) error {
				_, err := s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: b.name, Config: config, PriorState: state, ProposedNewState: state})
				return err
			},
			"ApplyResourceChange": func(ctx context.Context) error {
				_, err := s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{TypeName: b.name, Config: config, PriorState: state, PlannedState: state})
				return err
			},
			"GenerateResourceConfig": func(ctx context.Context) error {
				_, err := s.GenerateResourceConfig(ctx, &tfprotov6.GenerateResourceConfigRequest{TypeName: b.name, State: state})
				return err
			},
		} {
			type key struct{}
			var calls []weak.Pointer[[64]byte]
			for range 20 {
				ofCall := new([64]byte)
				calls = append(calls, weak.Make(ofCall))
				if err := play(context.WithValue(t.Context(), key{}, ofCall)); err != nil {
					t.Fatal(b.name, call, err)
				}
			}
			kept := 0
			runtime.GC()
			for _, ofCall := range calls {
				if ofCall.Value() != nil {
					kept++
				}
			}
			if kept > 5 { // the last ones may still be on a stack, or with a connection
				t.Errorf("%s, %s: %d of %d calls are kept", b.name, call, kept, len(calls))
			}
		}
	}
}
