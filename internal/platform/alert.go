package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Alert is one alert of the alerting API ("Alert" in the API document). Any
// field may be missing from an answer, and is nil then.
type Alert struct {
	ID        *string  `json:"id,omitzero"        tfsdk:"id"`
	Name      *string  `json:"name,omitzero"      tfsdk:"name"`
	Message   *string  `json:"message,omitzero"   tfsdk:"message"`
	Threshold *float64 `json:"threshold,omitzero" tfsdk:"threshold"`
	// Interval is a duration as text.
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

// AlertChannel is where an alert is sent.
type AlertChannel struct {
	Type      *string `json:"type,omitzero"      tfsdk:"type"`
	WebhookID *string `json:"webhookId,omitzero" tfsdk:"webhook_id"`
}

// GetAlert reads one alert of the alerting API ("Get alert" in the API
// document). Equal reads under way share one request.
func (c *Client) GetAlert(ctx context.Context, id string) (*Alert, error) {
	const operation = "read alert"
	if err := ValidateAlertID(id); err != nil {
		return nil, fmt.Errorf("%s: the alert id %w", operation, err)
	}
	fetch := func(ctx context.Context) ([]byte, error) {
		var raw []byte
		err := c.do(ctx, &request{
			operation: operation,
			subject:   fmt.Sprintf("alert %q", id),
			api:       c.alerts,
			method:    http.MethodGet,
			path:      []string{"api", "v2", "alerts", id},
			named:     true,
			accept:    acceptRaw[Alert](&raw, "data"),
		})
		return raw, err
	}
	raw, err, interrupted := c.alerted.read(ctx, id, fetch)
	if interrupted != nil {
		return nil, c.interrupted(ctx, operation)
	}
	if err != nil {
		return nil, err
	}
	return decode[Alert](raw)
}

// ValidateAlertID says what keeps an id from being one element of a path: it
// is empty, holds a slash or a control character, or is a dot segment, which
// escaping would not hide from every proxy on the way. The error continues a
// sentence such as "the alert id …".
func ValidateAlertID(id string) error {
	switch {
	case id == "":
		return errors.New("is empty")
	case strings.Contains(id, "/"):
		return errors.New("holds a slash")
	case id == "." || id == "..":
		return errors.New("is a dot segment, which addresses another path")
	case strings.ContainsFunc(id, isControl):
		return errors.New("holds a control character")
	default:
		return nil
	}
}
