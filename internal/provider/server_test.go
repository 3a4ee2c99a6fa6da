package provider

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestCallsAreNotKept makes each call for an object many times: nothing of a call is kept. The framework
// keeps the context of each call that reaches it, with its loggers and its stream, until the provider ends.
func TestCallsAreNotKept(t *testing.T) {
	f := newFixture(t)
	s := f.start()
	alert := configuration(t, schemasOnce().DataSourceSchemas["dataplatform_alert"], `id = "`+mockplatform.AlertID+`"`)
	const aKey = `name = "n"` + "\n" + `roles = ["admin"]`
	wantLetGo(t, "data source, ValidateDataResourceConfig", calls(s.ValidateDataResourceConfig, &tfprotov6.ValidateDataResourceConfigRequest{TypeName: "dataplatform_alert", Config: alert}))
	wantLetGo(t, "data source, ReadDataSource", calls(s.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: "dataplatform_alert", Config: alert}))
	for _, b := range []*managed{
		f.pipe(mockplatform.KafkaPipeID, `name = "n"`),
		f.scaling(mockplatform.ServiceID, `num_replicas = 5`),
		f.key(aKey),
	} {
		b.apply()
		state, config := b.block.Schema.Encode(b.block.State.Value), b.block.Schema.Encode(b.block.Config)
		id := mockplatform.ServiceID
		if b.id != id {
			id += "/" + b.id
		}
		for name, call := range map[string]func(context.Context) error{
			"ValidateResourceConfig": calls(s.ValidateResourceConfig, &tfprotov6.ValidateResourceConfigRequest{TypeName: b.name, Config: config}),
			"UpgradeResourceState":   calls(s.UpgradeResourceState, &tfprotov6.UpgradeResourceStateRequest{TypeName: b.name, RawState: &tfprotov6.RawState{JSON: []byte("{}")}}),
			"ImportResourceState":    calls(s.ImportResourceState, &tfprotov6.ImportResourceStateRequest{TypeName: b.name, ID: id}),
			"ReadResource":           calls(s.ReadResource, &tfprotov6.ReadResourceRequest{TypeName: b.name, CurrentState: state}),
			"PlanResourceChange": calls(s.PlanResourceChange, &tfprotov6.PlanResourceChangeRequest{
				TypeName: b.name, Config: config, PriorState: state, ProposedNewState: state,
			}),
			"ApplyResourceChange": calls(s.ApplyResourceChange, &tfprotov6.ApplyResourceChangeRequest{
				TypeName: b.name, Config: config, PriorState: state, PlannedState: state,
			}),
			"GenerateResourceConfig": calls(s.GenerateResourceConfig, &tfprotov6.GenerateResourceConfigRequest{TypeName: b.name, State: state}),
		} {
			if b.name == "dataplatform_api_key" && (name == "GenerateResourceConfig" || name == "ImportResourceState") {
				continue // which a key has not
			}
			wantLetGo(t, b.name+", "+name, call)
		}
	}
}

// wantLetGo fails if more of a call is kept than the last ones, which may still be on a stack, or with a
// connection.
func wantLetGo(t *testing.T, name string, call func(context.Context) error) {
	t.Helper()
	type key struct{}
	var made []weak.Pointer[[64]byte]
	for range 20 {
		ofCall := new([64]byte)
		made = append(made, weak.Make(ofCall))
		if err := call(context.WithValue(t.Context(), key{}, ofCall)); err != nil {
			t.Fatal(name, err)
		}
	}
	kept := 0
	runtime.GC()
	for _, ofCall := range made {
		if ofCall.Value() != nil {
			kept++
		}
	}
	if kept > 5 {
		t.Errorf("%s: %d of %d calls are kept", name, kept, len(made))
	}
}

// calls makes a call with a request.
func calls[Request, Response any](call func(context.Context, Request) (Response, error), request Request) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := call(ctx, request)
		return err
	}
}
