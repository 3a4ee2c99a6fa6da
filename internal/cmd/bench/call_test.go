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
// Terraform: what a call allocates does not depend on how busy the machine is. The
// configuration is the generated one, which sets whatever can be set.
func BenchmarkCall(b *testing.B) {
	platform := mockplatform.New(mockplatform.DefaultSeed())
	server := httptest.NewServer(platform)
	b.Cleanup(server.Close)
	p, schemas := start(b, server.URL)
	mapped := platform.AddPipes(mockplatform.ServiceID, 1)[0]
	mapTables(platform, mapped, tableNames(50))
	for _, object := range []struct{ name, typeName, id string }{
		{"service", "dataplatform_service_scaling", mockplatform.ServiceID},
		{"pipe", "dataplatform_pipe", mockplatform.ServiceID + "/" + mockplatform.KafkaPipeID},
		{"mapped-pipe", "dataplatform_pipe", mockplatform.ServiceID + "/" + mapped},
	} {
		block := terraformtest.New(object.typeName, terraformtest.NewSchema(schemas.ResourceSchemas[object.typeName]))
		for _, report := range []*terraformtest.Report{block.Import(p, object.id), block.Generate(p)} {
			if report.Failed() {
				b.Fatal(report)
			}
		}
		config, state, private := block.Schema.Encode(block.Config), block.Schema.Encode(block.State.Value), block.State.Private
		for _, call := range []struct {
			name string
			play func() error
		}{
			{"ValidateResourceConfig", func() error {
				_, err := p.ValidateResourceConfig(b.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: object.typeName, Config: config})
				return err
			}},
			{"ReadResource", func() error {
				_, err := p.ReadResource(b.Context(), &tfprotov6.ReadResourceRequest{TypeName: object.typeName, CurrentState: state, Private: private})
				return err
			}},
			{"PlanResourceChange", func() error {
				_, err := p.PlanResourceChange(b.Context(), &tfprotov6.PlanResourceChangeRequest{
					TypeName: object.typeName, Config: config, PriorState: state, ProposedNewState: state, PriorPrivate: private,
				})
				return err
			}},
		} {
			b.Run(fmt.Sprintf("objects=%s/call=%s", object.name, call.name), func(b *testing.B) {
				check(b, call.play()) // once for what is made once
				b.ReportAllocs()
				for b.Loop() {
					check(b, call.play())
				}
			})
		}
	}
}

// start starts the provider in this process, and returns it with its schemas.
func start(b *testing.B, url string) (tfprotov6.ProviderServer, *tfprotov6.GetProviderSchemaResponse) {
	b.Helper()
	p := provider.NewServer("bench", func() (end func()) { return func() {} })()
	schemas, err := p.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	check(b, err)
	schema, seed := terraformtest.NewSchema(schemas.Provider), mockplatform.DefaultSeed()
	config, err := schema.Config(cty.ObjectVal(map[string]cty.Value{
		"base_url": cty.StringVal(url), "organization_id": cty.StringVal(mockplatform.OrganizationID),
		"key_id": cty.StringVal(seed.KeyID), "key_secret": cty.StringVal(seed.KeySecret),
	}))
	check(b, err)
	_, err = p.ConfigureProvider(context.Background(), &tfprotov6.ConfigureProviderRequest{Config: schema.Encode(config)})
	check(b, err)
	return p, schemas
}
