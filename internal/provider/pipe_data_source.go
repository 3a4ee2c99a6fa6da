package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// pipeDataSource is dataplatform_pipe.
type pipeDataSource struct{ dataSourceBase }

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
		MarkdownDescription: "Connection string of a blob storage. It may hold a secret, and stands in the state.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one data-ingestion pipe: every field that the platform tells of it. It can't list pipes, which the platform's API has no operation for.",
		Attributes:          attributes,
	}
}

// Read implements datasource.DataSource.
func (d *pipeDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	client, organization, ok := d.management(at(req.Config.Raw, "organization_id"), &resp.Diagnostics)
	if !ok {
		return
	}
	serviceID, pipeID := at(req.Config.Raw, "service_id"), at(req.Config.Raw, "pipe_id")
	pipe, err := client.GetPipe(ctx, text(organization), text(serviceID), text(pipeID))
	if err != nil {
		addError(&resp.Diagnostics, "Unable to read pipe", err)
		return
	}
	state := encode(pipe, req.Config.Raw.Type())
	state = with(state, organization, "organization_id")
	state = with(state, serviceID, "service_id")
	resp.State.Raw = with(state, pipeID, "pipe_id")
}

func lookupOrganizationID(noun string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "UUID of the organization that owns the " + noun + ". Left out, it is the provider's `organization_id`.",
		Validators:          []validator.String{isUUIDText()},
	}
}

func lookupID(of string) schema.Attribute {
	return schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "UUID of the " + of + ".",
		Validators:          []validator.String{isUUIDText()},
	}
}
