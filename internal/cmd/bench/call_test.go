package bench

import (
	"context"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// BenchmarkCall makes the calls of a plan that changes nothing, each for itself and without
// Terraform.
func BenchmarkCall(b *testing.B) {
	for _, call := range calls(b) {
		b.Run(call.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				check(b, call.play())
			}
		})
	}
}

// TestCallAllocations wants no call to allocate a tenth more than the figure beside it in calls. What a call allocates
// depends neither on how busy the machine is nor, by more than some hundredths, on the race detector.
func TestCallAllocations(t *testing.T) {
	for _, call := range calls(t) {
		got := testing.AllocsPerRun(20, func() { check(t, call.play()) })
		if got > 1.1*call.allocations {
			t.Errorf("%s allocates %.0f times, a tenth more than %.0f. If that is worth it, change the figure.", call.name, got, call.allocations)
		}
	}
}

type call struct {
	name        string
	allocations float64
	play        func() error
}

// calls are those of a plan over some objects, whose configuration sets whatever can be set. Each was made once, for
// what is made once.
func calls(tb testing.TB) (all []call) {
	tb.Helper()
	platform := mockplatform.New(mockplatform.DefaultSeed())
	server := httptest.NewServer(platform)
	tb.Cleanup(server.Close)
	p, schemas := start(tb, server.URL)
	mapped := platform.AddPipes(mockplatform.ServiceID, 1)[0]
	mapTables(platform, mapped, tableNames(50))
	for _, object := range []struct {
		name, typeName, id   string
		validate, read, plan float64 // allocations
	}{
		{"service", "dataplatform_service_scaling", mockplatform.ServiceID, 740, 1400, 680},
		{"pipe", "dataplatform_pipe", mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID, 8650, 3890, 4975},
		{"mapped-pipe", "dataplatform_pipe", mockplatform.ServiceID + "/" + mapped, 19100, 18000, 18300},
	} {
		block := terraformtest.New(object.typeName, terraformtest.NewSchema(schemas.ResourceSchemas[object.typeName]))
		for _, report := range []*terraformtest.Report{block.Import(p, object.id), block.Generate(p)} {
			if report.Failed() {
				tb.Fatal(report)
			}
		}
		config, state, private := block.Schema.Encode(block.Config), block.Schema.Encode(block.State.Value), block.State.Private
		for _, call := range []call{
			{"ValidateResourceConfig", object.validate, func() error {
				_, err := p.ValidateResourceConfig(tb.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: object.typeName, Config: config})
				return err
			}},
			{"ReadResource", object.read, func() error {
				_, err := p.ReadResource(tb.Context(), &tfprotov6.ReadResourceRequest{TypeName: object.typeName, CurrentState: state, Private: private})
				return err
			}},
			{"PlanResourceChange", object.plan, func() error {
				_, err := p.PlanResourceChange(tb.Context(), &tfprotov6.PlanResourceChangeRequest{
					TypeName: object.typeName, Config: config, PriorState: state, ProposedNewState: state, PriorPrivate: private,
				})
				return err
			}},
		} {
			check(tb, call.play())
			call.name = fmt.Sprintf("objects=%s/call=%s", object.name, call.name)
			all = append(all, call)
		}
	}
	return all
}

// start starts the provider in this process, and returns it with its schemas.
func start(tb testing.TB, url string) (tfprotov6.ProviderServer, *tfprotov6.GetProviderSchemaResponse) {
	tb.Helper()
	p := provider.NewServer("bench", func() (end func()) { return func() {} })()
	schemas, err := p.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	check(tb, err)
	schema, seed := terraformtest.NewSchema(schemas.Provider), mockplatform.DefaultSeed()
	config, err := schema.Config(cty.ObjectVal(map[string]cty.Value{
		"base_url": cty.StringVal(url), "organization_id": cty.StringVal(mockplatform.OrganizationID),
		"key_id": cty.StringVal(seed.KeyID), "key_secret": cty.StringVal(seed.KeySecret),
	}))
	check(tb, err)
	_, err = p.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{Config: schema.Encode(config)})
	check(tb, err)
	return p, schemas
}
