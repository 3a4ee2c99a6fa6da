package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
)

func pipeDataSourceSchema() schema.Schema {
	attributes := computed(pipeAttributes())
	attributes["organization_id"] = lookupOrganizationID("pipe")
	attributes["service_id"] = lookupID("service that owns the pipe")
	attributes["pipe_id"] = lookupID("pipe")
	source := attributes["source"].(schema.SingleNestedAttribute)
	source.Attributes["object_storage"].(schema.SingleNestedAttribute).Attributes["connection_string"] = schema.StringAttribute{
		Computed: true, Sensitive: true,
		MarkdownDescription: "Connection string of the blob storage. May contain a secret, and is stored in the state.",
	}
	return schema.Schema{
		MarkdownDescription: "Reads one data-ingestion pipe, with every field that the API returns.",
		Attributes:          attributes,
	}
}

func readPipe(ctx context.Context, q *query) error {
	return q.client.GetPipe(ctx, q.organization, q.config.At("service_id").Text(), q.config.At("pipe_id").Text(), pipeRules.Into(&q.result))
}
