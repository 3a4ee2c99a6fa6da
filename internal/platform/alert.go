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
	return c.rest.Do(ctx, &rest.Request{
		Operation:      "read alert",
		Subject:        fmt.Sprintf("alert %q", c.Clean(id, words.MaxID)),
		API:            c.alerts,
		Method:         http.MethodGet,
		Path:           []string{"api", "v2", "alerts", id},
		Result:         "data",
		Accept:         accept("data", id, read),
		NotFoundAdvice: "Check the ID.",
	})
}

// ValidateAlertID rejects an ID that cannot be one segment of a path. That includes a dot segment,
// which proxies resolve even if it is escaped. The error completes the sentence "the alert ID …".
func ValidateAlertID(id string) error {
	cannotBeSent := func(r rune) bool { return r == '/' || unicode.IsControl(r) }
	if id == "" || id == "." || id == ".." || strings.ContainsFunc(id, cannotBeSent) {
		return errors.New("must not be empty or a dot segment, and must not contain a slash or a control character")
	}
	return nil
}
