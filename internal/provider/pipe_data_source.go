package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// pipeDataSource is dataplatform_pipe.
type pipeDataSource struct{ conn.DataSource }

func newPipeDataSource() datasource.DataSource { return &pipeDataSource{} }

// Metadata implements datasource.DataSource.
func (d *pipeDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_pipe"
}

// Schema implements datasource.DataSource.
func (d *pipeDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := computed(pipeAttributes())
	attributes["organization_id"] = lookupOrganizationID("pipe")
	attributes["service_id"] = lookupID("service that owns the pipe")
	attributes["pipe_id"] = lookupID("pipe")
	source := attributes["source"].(schema.SingleNestedAttribute)
	source.Attributes["object_storage"].(schema.SingleNestedAttribute).Attributes["connection_string"] = schema.StringAttribute{
		Computed: true, Sensitive: true,
		MarkdownDescription: "Connection string of the blob storage. May contain a secret, and is stored in the state.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one data-ingestion pipe, with every field that the API returns. It needs the ID of the pipe, because the API cannot list pipes.",
		Attributes:          attributes,
	}
}

// Read implements datasource.DataSource.
func (d *pipeDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	config := tfvalue.Of(req.Config.Raw)
	client, organization, ok := d.Management(config.At("organization_id"), &resp.Diagnostics)
	if !ok {
		return
	}
	serviceID, pipeID := config.At("service_id"), config.At("pipe_id")
	state := tfvalue.Null(config.Type())
	if err := client.GetPipe(ctx, organization.Text(), serviceID.Text(), pipeID.Text(), pipeRules.Into(&state)); err != nil {
		conn.AddError(&resp.Diagnostics, "Cannot read pipe", err)
		return
	}
	state = state.With(organization, "organization_id")
	state = state.With(serviceID, "service_id")
	resp.State.Raw = state.With(pipeID, "pipe_id").Value
}

func lookupOrganizationID(noun string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "UUID of the organization that owns the " + noun + ". Defaults to the provider's `organization_id`.",
		Validators:          []validator.String{uuidText},
	}
}

func lookupID(of string) schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "UUID of the " + of + ".",
		Validators:          []validator.String{uuidText},
	}
}
