package platform

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Alert is one alert of the alerting API ("Alert" in the API document). A field
// that a response omits is nil.
type Alert struct {
	ID        *string `json:"id,omitzero"        tfsdk:"id"`
	Name      *string `json:"name,omitzero"      tfsdk:"name"`
	Message   *string `json:"message,omitzero"   tfsdk:"message"`
	Threshold *Number `json:"threshold,omitzero" tfsdk:"threshold"`
	// Interval is a duration as text; the API document does not show its format.
	Interval      *string       `json:"interval,omitzero"      tfsdk:"interval"`
	ThresholdType *string       `json:"thresholdType,omitzero" tfsdk:"threshold_type"`
	Source        *string       `json:"source,omitzero"        tfsdk:"source"`
	State         *string       `json:"state,omitzero"         tfsdk:"state"`
	Channel       *AlertChannel `json:"channel,omitzero"       tfsdk:"channel"`
	Team          *string       `json:"team,omitzero"          tfsdk:"team"`
	TileID        *string       `json:"tileId,omitzero"        tfsdk:"tile_id"`
	Dashboard     *string       `json:"dashboard,omitzero"     tfsdk:"dashboard"`
	CreatedAt     *string       `json:"createdAt,omitzero"     tfsdk:"created_at"`
	UpdatedAt     *string       `json:"updatedAt,omitzero"     tfsdk:"updated_at"`
}

// AlertChannel is where an alert is sent ("channel" of an alert in the API
// document).
type AlertChannel struct {
	Type      *string `json:"type,omitzero"      tfsdk:"type"`
	WebhookID *string `json:"webhookId,omitzero" tfsdk:"webhook_id"`
}

// GetAlert reads one alert of the alerting API ("Get alert" in the API
// document). Equal reads in flight share one request.
func (c *Client) GetAlert(ctx context.Context, id string) (*Alert, error) {
	if err := ValidateAlertID(id); err != nil {
		return nil, fmt.Errorf("read alert: the alert ID %w", err)
	}
	return get[Alert](ctx, c, c.alerts, &rest.Request{
		Operation:      "read alert",
		Subject:        fmt.Sprintf("alert %q", c.Mask(id)),
		API:            &c.alerts.API,
		Path:           []string{"api", "v2", "alerts", id},
		NotFoundAdvice: "Check the ID and alerts_base_url.",
	})
}

// ValidateAlertID rejects an ID that cannot be one segment of a path: an empty
// one, one with a slash or a control character, and a dot segment, which proxies
// resolve even if it is escaped. The error completes the sentence "the alert ID
// …".
func ValidateAlertID(id string) error {
	switch {
	case id == "":
		return errors.New("is empty")
	case strings.Contains(id, "/"):
		return errors.New("contains a slash")
	case id == "." || id == "..":
		return errors.New("is a dot segment, which addresses another path")
	case rest.HasControl(id):
		return errors.New("contains a control character")
	default:
		return nil
	}
}
