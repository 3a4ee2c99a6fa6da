package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// GetAlert reads one alert of the alerting API ("Get alert" in the API document).
func (c *Client) GetAlert(ctx context.Context, id string, read Read) error {
	if err := ValidateAlertID(id); err != nil {
		return fmt.Errorf("read alert: the alert ID %w", err)
	}
	return c.get(ctx, c.alerts, &rest.Request{
		Operation:      "read alert",
		Subject:        fmt.Sprintf("alert %q", c.Clean(id, words.MaxID)),
		API:            &c.alerts.API,
		Method:         http.MethodGet,
		Path:           []string{"api", "v2", "alerts", id},
		NotFoundAdvice: "Check the ID and alerts_base_url.",
	}, read)
}

// ValidateAlertID rejects an ID that cannot be one segment of a path. That includes a dot segment,
// which proxies resolve even if it is escaped. The error completes the sentence "the alert ID …".
func ValidateAlertID(id string) error {
	switch {
	case id == "":
		return errors.New("is empty")
	case strings.Contains(id, "/"):
		return errors.New("contains a slash")
	case id == "." || id == "..":
		return errors.New("is a dot segment, which addresses another path")
	case strings.ContainsFunc(id, unicode.IsControl):
		return errors.New("contains a control character")
	default:
		return nil
	}
}
