package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func pipeDataSourceSchema() schema.Schema {
	attributes := pipeAttributes(shown, shown)
	attributes["organization_id"] = organizationID("pipe", ".")
	attributes["service_id"] = required.string("UUID of the service that owns the pipe.", uuidText)
	attributes["pipe_id"] = required.string("UUID of the pipe.", uuidText)
	source := attributes["source"].(schema.SingleNestedAttribute)
	storage := source.Attributes["object_storage"].(schema.SingleNestedAttribute)
	storage.Attributes["connection_string"] = computedSecret.string("Connection string of the blob storage. May contain a secret, and is stored in the state.")
	return schema.Schema{
		MarkdownDescription: "Reads one data-ingestion pipe, with every field that the API returns.",
		Attributes:          attributes,
	}
}

func readPipe(ctx context.Context, q *query) error {
	return q.client.GetPipe(ctx, q.organization, q.config.At("service_id").Text(), q.config.At("pipe_id").Text(),
		func(decoded any) error { return q.takeBy(pipeRules, decoded) })
}
