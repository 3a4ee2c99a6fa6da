package platform

import (
	"context"
	"fmt"
	"net/http"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// GetAlert reads one alert ("Get alert" in the API document). The ID has to be one segment of a path, no dot segment.
func (c *Client) GetAlert(ctx context.Context, id string, read Read) error {
	return c.rest.Do(ctx, &rest.Request{
		Operation:      "read alert",
		Subject:        fmt.Sprintf("alert %q", c.Clean(id, words.MaxID)),
		API:            c.alerts,
		Method:         http.MethodGet,
		Path:           []string{"api", "v2", "alerts", id},
		Result:         "data",
		Object:         map[string]string{"id": id},
		Accept:         accept(read),
		NotFoundAdvice: "Check the ID.",
	})
}
