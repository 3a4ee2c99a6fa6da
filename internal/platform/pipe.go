package platform

import (
	"context"
	"fmt"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// GetPipe reads one pipe ("Get pipe" in the API document).
func (c *Client) GetPipe(ctx context.Context, organizationID, serviceID, pipeID string, read Read) error {
	r := c.pipeRequest("read pipe", organizationID, serviceID, pipeID)
	r.Accept = accept(read)
	return c.rest.Do(ctx, r)
}

// UpdatePipe begins an update of a pipe ("Update pipe" in the API document).
func (c *Client) UpdatePipe(ctx context.Context, organizationID, serviceID, pipeID string) (context.Context, *Update) {
	return c.begin(ctx, c.pipeRequest("update pipe", organizationID, serviceID, pipeID))
}

func (c *Client) pipeRequest(operation, organizationID, serviceID, pipeID string) *rest.Request {
	r := c.inOrganization(operation, fmt.Sprintf("pipe %s of service %s", pipeID, serviceID), organizationID, "services", serviceID, "pipes", pipeID)
	r.Object = map[string]string{"id": pipeID, "serviceId": serviceID}
	r.GoneAdvice = "If the pipe was deleted, remove it from the configuration, and from the state with terraform state rm, " +
		"or create it again in the platform's console and set its ID."
	return r
}
