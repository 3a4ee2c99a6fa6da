package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	fields "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func alertDataSourceSchema() schema.Schema {
	attributes := computed(map[string]fields.Attribute{
		"name":           computedString("Name of the alert."),
		"message":        computedString("Message of the alert."),
		"threshold":      computedNumber("Value at which the alert fires."),
		"interval":       computedString("Time between two evaluations, as a duration."),
		"threshold_type": computedString("Kind of comparison with the threshold."),
		"source":         computedString("What the alert watches."),
		"state":          computedString("State of the alert."),
		"channel": computedObject("Channel that the alert is sent to.", map[string]fields.Attribute{
			"type":       computedString("Kind of the channel."),
			"webhook_id": computedString("ID of the webhook."),
		}),
		"team":       computedString("Team ID."),
		"tile_id":    computedString("ID of the alert's dashboard tile."),
		"dashboard":  computedString("ID of the alert's dashboard."),
		"created_at": computedString("Creation time."),
		"updated_at": computedString("Time of the last change."),
	})
	attributes["id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: "ID of the alert. Must not be empty, `.` or `..`, and must not contain `/` or control characters.",
		Validators:          []validator.String{alertID},
	}
	return schema.Schema{
		MarkdownDescription: "Reads one alert from the alerting API. It needs the provider's `alerts_base_url` and `alerts_access_token`, and no API key.",
		Attributes:          attributes,
	}
}

func readAlert(ctx context.Context, q *query) error {
	return q.client.GetAlert(ctx, q.config.At("id").Text(), tfvalue.Rules{}.Into(&q.result))
}
