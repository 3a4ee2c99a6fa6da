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
		MarkdownDescription: "Reads one alert from the alerting API. It can neither list alerts nor change one, which the API has no operations for. It needs `alerts_base_url` and `alerts_access_token` of the provider, and no management key.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Identifier of the alert: not empty, without `/`, dot segments and control characters.",
				Validators:          []validator.String{alertID{}},
			},
			"name":           shownString("Name of the alert."),
			"message":        shownString("Message of the alert."),
			"threshold":      shownNumber("Value at which the alert fires."),
			"interval":       shownString("Time between two evaluations, a duration as text."),
			"threshold_type": shownString("How the value is compared with the threshold, as the platform calls it."),
			"source":         shownString("What the alert watches, as the platform calls it."),
			"state":          shownString("State of the alert, as the platform calls it."),
			"channel": schema.SingleNestedAttribute{
				Computed: true, MarkdownDescription: "Where the alert is sent.",
				Attributes: map[string]schema.Attribute{
					"type":       shownString("Kind of the channel, as the platform calls it."),
					"webhook_id": shownString("Identifier of the webhook."),
				},
			},
			"team":       shownString("Identifier of the team that owns the alert."),
			"tile_id":    shownString("Identifier of the dashboard's tile that the alert watches."),
			"dashboard":  shownString("Identifier of the dashboard that the alert watches."),
			"created_at": shownString("When the alert was made."),
			"updated_at": shownString("When the alert was last changed."),
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
		conn.AddError(&resp.Diagnostics, "Unable to read alert", err)
		return
	}
	resp.State.Raw = (tfvalue.Encode(alert, req.Config.Raw.Type()).With(id, "id")).Value
}
