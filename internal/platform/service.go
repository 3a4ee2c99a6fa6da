package platform

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// ListServices lists the services of an organization, and reads each in the API's order ("List organization services"
// in the API document). filter is sent as it is. This is a fresh read: the list begins after the call, because another
// client may just have written what the caller depends on, or it is one that failed in the last 30 s.
func (c *Client) ListServices(ctx context.Context, organizationID string, filter []string, each Read) error {
	_, err := c.readServices(ctx, organizationID, filter, "", nil, each)
	return err
}

// GetService reads one service from a list of its organization, since the API cannot read a single one. The list may be
// up to 30 s old, but it began after every write of this client to the service, and after the end of the list that the
// last read of the service used (see lists). If two consecutive lists omit the service, the error is NotFound.
func (c *Client) GetService(ctx context.Context, organizationID, serviceID string, read Read) error {
	return c.getService(ctx, organizationID, serviceID, serviceKey(organizationID, serviceID), read)
}

// GetFreshService reads one service like GetService, but fresh, as ListServices does.
func (c *Client) GetFreshService(ctx context.Context, organizationID, serviceID string, read Read) error {
	return c.getService(ctx, organizationID, serviceID, "", read)
}

func (c *Client) getService(ctx context.Context, organizationID, serviceID, key string, read Read) error {
	// The API has no such request, and it is never sent: it names the service in the error.
	gone := c.inOrganization("read service", "service "+serviceID, organizationID, "services", serviceID).NewError(rest.Final, nil)
	if gone.Err != nil {
		return gone
	}
	id := strings.ToLower(serviceID)
	n, err := c.readServices(ctx, organizationID, nil, key, func(s *service) bool { return s.id == id }, read)
	if err != nil || n > 0 {
		return err
	}
	gone.Message = fmt.Sprintf("Organization %s has no service %s: two consecutive lists of its services omit it.", organizationID, serviceID)
	gone.NotFound = true
	return gone
}

// FindServices reads, fresh, the services of an organization with exactly this name, which has to be in
// NFC as Terraform's texts are. It finds none only if two consecutive lists have none.
func (c *Client) FindServices(ctx context.Context, organizationID, name string, each Read) error {
	_, err := c.readServices(ctx, organizationID, nil, "", func(s *service) bool { return s.name == name }, each)
	return err
}

// readServices reads the wanted services of a list, and returns their number: see lists.find. An error
// about one of them is that of a request whose response is complete, but not as documented.
func (c *Client) readServices(
	ctx context.Context, organizationID string, filter []string, key string, wanted func(*service) bool, each Read,
) (n int, err error) {
	r := c.inOrganization("list services", "services", organizationID, "services")
	r.Query, r.MaxBody = url.Values{"filter": filter}, 64<<20 // ten thousand services with every field are some 30 MB
	r.IsArray, r.NamesObject, r.NotFoundAdvice = true, false, checkOrganization
	found, err := c.lists.find(ctx, r, key, wanted)
	for _, s := range found {
		if err := each(s.decoded); err != nil {
			return 0, unusable(r, s.requestID, fmt.Errorf("service %s: %w", c.Clean(s.id, words.MaxID), err))
		}
	}
	return len(found), err
}

// UpdateServiceScaling begins an update ("Update service auto scaling settings" in the API document).
func (c *Client) UpdateServiceScaling(ctx context.Context, organizationID, serviceID string) (context.Context, *Update) {
	r := c.inOrganization("update service scaling", "the scaling of service "+serviceID, organizationID, "services", serviceID, "scaling")
	r.Object = map[string]string{"id": serviceID}
	r.Invalidate = func() { c.lists.outdate(serviceKey(organizationID, serviceID)) }
	return c.begin(ctx, r)
}
