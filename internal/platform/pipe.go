package platform

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// GetPipe reads one pipe ("Get pipe" in the API document).
func (c *Client) GetPipe(ctx context.Context, organizationID, serviceID, pipeID string, read Read) error {
	r, err := c.pipeRequest("read pipe", organizationID, serviceID, pipeID)
	if err != nil {
		return err
	}
	return c.get(ctx, c.management, r, read)
}

// PipePatch is a PATCH of a pipe. Body is marshaled, and Leaves names what it carries, for
// the log. If the table mappings matter to it, AsOf is when they were returned last, and Ask
// reads them again, and returns what is left to be sent, nil for nothing. perhaps reports that
// the patch may have been carried out, and Unsettled that the read in Ask leaves that open.
type PipePatch struct {
	Body      any
	Leaves    []string
	AsOf      time.Time
	Ask       func(ctx context.Context, perhaps bool) (*PipePatch, error)
	Unsettled bool
}

// UpdatePipe sends a patch to a pipe ("Update pipe" in the API document) and reads the
// updated pipe, unless a success has no result, or nothing was left to be sent.
//
// It is retried like a read, since its values are absolute. A patch with Ask asks before
// it is sent again, and before it is sent late, within the same retry_timeout.
func (c *Client) UpdatePipe(ctx context.Context, organizationID, serviceID, pipeID string, patch PipePatch, read Read) error {
	r, err := c.pipeRequest("update pipe", organizationID, serviceID, pipeID)
	if err != nil {
		return err
	}
	r.Method = http.MethodPatch
	r.Accept = optional(c.management.accept(pipeID, read))
	if err := patch.declare(r); err != nil {
		return err
	}
	return c.rest.Do(ctx, r)
}

// declare puts a patch into its request.
func (p PipePatch) declare(r *rest.Request) error {
	r.Leaves, r.AsOf, r.Ask, r.Unsettled = p.Leaves, p.AsOf, nil, p.Unsettled
	if p.Ask != nil {
		r.Ask = func(ctx context.Context, perhaps bool) (needed bool, err error) {
			left, err := p.Ask(ctx, perhaps)
			if err != nil || left == nil {
				return false, err
			}
			return true, left.declare(r)
		}
	}
	return encode(r, p.Body)
}

func (c *Client) pipeRequest(operation, organizationID, serviceID, pipeID string) (*rest.Request, error) {
	r, err := c.inOrganization(operation, fmt.Sprintf("pipe %s of service %s", pipeID, serviceID), organizationID, "services", serviceID, "pipes", pipeID)
	if err != nil {
		return nil, err
	}
	r.GoneAdvice = "If the pipe was deleted, remove it from the configuration, and from the state with terraform state rm, " +
		"or create it again in the platform's console and set its ID."
	return r, nil
}
