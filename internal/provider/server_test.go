package provider

import (
	"context"
	"runtime"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestCallsAreNotKept makes the calls that reach the framework for most objects many times: nothing of a call is kept. The
// framework keeps the context of each, with its loggers and its stream, until the provider ends.
func TestCallsAreNotKept(t *testing.T) {
	f := newFixture(t)
	s, pipe := f.start(), f.pipe(mockplatform.KafkaPipeID, `name = "n"`)
	pipe.apply()
	alert := configuration(t, schemasOnce().DataSourceSchemas["dataplatform_alert"], `id = "`+mockplatform.AlertID+`"`)
	ofPipe := &tfprotov6.ValidateResourceConfigRequest{TypeName: pipe.block.Type, Config: pipe.block.Schema.Encode(pipe.block.Config)}
	terraformtest.Rows(t, map[string]func(context.Context) error{
		"ReadDataSource":       calls(s.ReadDataSource, &tfprotov6.ReadDataSourceRequest{TypeName: "dataplatform_alert", Config: alert}),
		"validation of a pipe": calls(s.ValidateResourceConfig, ofPipe),
	}, func(t *testing.T, call func(context.Context) error) {
		type contextKey struct{}
		var made []weak.Pointer[[64]byte]
		for range 20 {
			ofCall := new([64]byte)
			made = append(made, weak.Make(ofCall))
			if err := call(context.WithValue(t.Context(), contextKey{}, ofCall)); err != nil {
				t.Fatal(err)
			}
		}
		kept := 0
		runtime.GC()
		for _, ofCall := range made {
			if ofCall.Value() != nil {
				kept++
			}
		}
		if kept > 5 { // the last ones may still be on a stack, or with a connection
			t.Errorf("%d of %d calls are kept", kept, len(made))
		}
	})
}

// calls makes a call with a request.
func calls[Request, Response any](call func(context.Context, Request) (Response, error), request Request) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := call(ctx, request)
		return err
	}
}
