// Command referenceprovider is what the benchmarks compare with: a provider on
// the framework with one resource, which has the schema of
// dataplatform_service_scaling, reads and plans nothing and calls no API. What
// it costs is what any provider costs.
package main

import (
	"context"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/process"
	dataplatform "github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

// tuned makes the reference log and collect garbage like the provider. The
// linker sets it.
var tuned = ""

func main() {
	if tuned != "" {
		if err := process.SetLogLevels("reference"); err != nil {
			log.Fatal(err)
		}
		process.TuneMemory()
	}
	newProvider := func() provider.Provider { return &reference{} }
	err := providerserver.Serve(context.Background(), newProvider, providerserver.ServeOpts{
		Address:         "registry.terraform.io/dataplatform/reference",
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Print(err)
		os.Exit(1)
	}
}

type reference struct{}

// Metadata implements provider.Provider.
func (*reference) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "reference"
}

// Schema implements provider.Provider.
func (*reference) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

// Configure implements provider.Provider.
func (*reference) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

// DataSources implements provider.Provider.
func (*reference) DataSources(context.Context) []func() datasource.DataSource { return nil }

// Resources implements provider.Provider.
func (*reference) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &nothing{} }}
}

// nothing is a resource that keeps what it is given.
type nothing struct{}

// Metadata implements resource.Resource.
func (*nothing) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "reference_service_scaling"
}

// Schema implements resource.Resource.
func (*nothing) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = scalingSchema(ctx)
}

func scalingSchema(ctx context.Context) schema.Schema {
	for _, newResource := range dataplatform.New("")().Resources(ctx) {
		made := newResource()
		var metadata resource.MetadataResponse
		made.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "dataplatform"}, &metadata)
		if metadata.TypeName == "dataplatform_service_scaling" {
			var resp resource.SchemaResponse
			made.Schema(ctx, resource.SchemaRequest{}, &resp)
			return resp.Schema
		}
	}
	return schema.Schema{}
}

// Create implements resource.Resource: what is unknown is null.
func (*nothing) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Config.Raw
}

// Read implements resource.Resource.
func (*nothing) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update implements resource.Resource.
func (*nothing) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete implements resource.Resource.
func (*nothing) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
