package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func alertDataSourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads one alert from the alerting API. It needs the provider's `alerts_base_url` and `alerts_access_token`, and no API key.",
		Attributes: map[string]schema.Attribute{
			"id":             required.string("ID of the alert. Must not be empty, `.` or `..`, and must not contain `/` or control characters.", alertID),
			"name":           computed.string("Name of the alert."),
			"message":        computed.string("Message of the alert."),
			"threshold":      computed.number("Value at which the alert fires."),
			"interval":       computed.string("Time between two evaluations, as a duration."),
			"threshold_type": computed.string("Kind of comparison with the threshold."),
			"source":         computed.string("What the alert watches."),
			"state":          computed.string("State of the alert."),
			"channel": computed.object("Channel that the alert is sent to.", map[string]schema.Attribute{
				"type":       computed.string("Kind of the channel."),
				"webhook_id": computed.string("ID of the webhook."),
			}),
			"team":       computed.string("Team ID."),
			"tile_id":    computed.string("ID of the alert's dashboard tile."),
			"dashboard":  computed.string("ID of the alert's dashboard."),
			"created_at": computed.string("Creation time."),
			"updated_at": computed.string("Time of the last change."),
		},
	}
}

func readAlert(ctx context.Context, q *query) error {
	return q.client.GetAlert(ctx, q.config.At("id").Text(), q.take)
}
