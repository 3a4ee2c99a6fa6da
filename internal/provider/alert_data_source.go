package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// alertDataSource is dataplatform_alert.
type alertDataSource struct{ conn.DataSource }

func newAlertDataSource() datasource.DataSource { return &alertDataSource{} }

// Metadata implements datasource.DataSource.
func (d *alertDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_alert"
}

// Schema implements datasource.DataSource.
func (d *alertDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one alert from the alerting API, which cannot list or change alerts. It needs the provider's `alerts_base_url` and `alerts_access_token`, and no API key.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "ID of the alert. Must not be empty, `.` or `..`, and must not contain `/` or control characters.",
				Validators:          []validator.String{alertID},
			},
			"name":           shownString("Name of the alert."),
			"message":        shownString("Message of the alert."),
			"threshold":      shownNumber("Value at which the alert fires."),
			"interval":       shownString("Time between two evaluations, as a duration."),
			"threshold_type": shownString("Kind of comparison with the threshold, as returned by the API."),
			"source":         shownString("What the alert watches, as returned by the API."),
			"state":          shownString("State of the alert, as returned by the API."),
			"channel": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "Channel that the alert is sent to.",
				Attributes: map[string]schema.Attribute{
					"type":       shownString("Kind of the channel, as returned by the API."),
					"webhook_id": shownString("ID of the webhook."),
				},
			},
			"team":       shownString("Team ID."),
			"tile_id":    shownString("ID of the alert's dashboard tile."),
			"dashboard":  shownString("ID of the alert's dashboard."),
			"created_at": shownString("Creation time."),
			"updated_at": shownString("Last change time."),
		},
	}
}

// Read implements datasource.DataSource.
func (d *alertDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	client, ok := d.Ready(conn.AlertingSettings, &resp.Diagnostics)
	if !ok {
		return
	}
	id := tfvalue.Of(req.Config.Raw).At("id")
	alert, err := client.GetAlert(ctx, id.Text())
	if err != nil {
		conn.AddError(&resp.Diagnostics, "Cannot read alert", err)
		return
	}
	resp.State.Raw = (tfvalue.Encode(alert, req.Config.Raw.Type()).With(id, "id")).Value
}
