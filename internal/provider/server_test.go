package provider

import (
	"context"
	"runtime"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// ballast is what a call is made with: if the provider kept a call, it would keep this.
type ballast [32 << 10]byte

type ballastKey struct{}

// TestCallsAreNotKept makes each call for an adopted object a hundred times, and a thousand times
// more: nothing of a call is kept. The framework keeps the context of each call that reaches it,
// with its loggers and its stream, until the provider ends.
func TestCallsAreNotKept(t *testing.T) { // not parallel, because it looks at the heap of the process
	f := startFixture(t, mockplatform.DefaultSeed())
	s := f.start()
	for _, b := range []*managed{
		f.pipe(mockplatform.KafkaPipeID, `name = "n"`),
		f.scaling(mockplatform.ServiceID, `num_replicas = 5`),
	} {
		b.apply()
		state, config := b.block.Schema.Encode(b.block.State.Value), b.block.Schema.Encode(b.block.Config)
		stored := toJSON(t, map[string]any{"service_id": mockplatform.ServiceID})
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
				_, err := s.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: b.name, RawState: &tfprotov6.RawState{JSON: []byte(stored)}})
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
			heap := func(calls int) int64 {
				for range calls {
					if err := play(context.WithValue(t.Context(), ballastKey{}, &ballast{})); err != nil {
						t.Fatal(b.name, call, err)
					}
				}
				f.ResetJournal()
				var stats runtime.MemStats
				runtime.GC()
				runtime.GC() // what the first one has left to finalizers
				runtime.ReadMemStats(&stats)
				return int64(stats.HeapAlloc)
			}
			// Kept, a thousand calls would be 32 MB. A tenth is left for what has nothing to do with them.
			if before, after := heap(100), heap(1000); after > before+(3<<20) {
				t.Errorf("%s, %s: the heap has %d bytes after 100 calls, and %d after 1,000 more", b.name, call, before, after)
			}
		}
	}
}
