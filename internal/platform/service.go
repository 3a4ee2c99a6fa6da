package platform

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Service is one database service, as lists and scaling updates return it
// ("Service" in the API document). A field that a response omits is nil.
type Service struct {
	ID            *string    `json:"id,omitzero"            tfsdk:"id"`
	Name          *string    `json:"name,omitzero"          tfsdk:"name"`
	EngineVersion *string    `json:"engineVersion,omitzero" tfsdk:"engine_version"`
	Endpoints     []Endpoint `json:"endpoints,omitzero"     tfsdk:"endpoints"`

	// The two totals are deprecated in the API document: the memory of three workers,
	// in GB. They are inaccurate for any other number of replicas.
	MinTotalMemoryGB *Number `json:"minTotalMemoryGb,omitzero"   tfsdk:"min_total_memory_gb"`
	MaxTotalMemoryGB *Number `json:"maxTotalMemoryGb,omitzero"   tfsdk:"max_total_memory_gb"`
	// Memory of each replica, in GB.
	MinReplicaMemoryGB *Number `json:"minReplicaMemoryGb,omitzero" tfsdk:"min_replica_memory_gb"`
	MaxReplicaMemoryGB *Number `json:"maxReplicaMemoryGb,omitzero" tfsdk:"max_replica_memory_gb"`
	NumReplicas        *Number `json:"numReplicas,omitzero"        tfsdk:"num_replicas"`
	IdleScaling        *bool   `json:"idleScaling,omitzero"        tfsdk:"idle_scaling"`
	IdleTimeoutMinutes *Number `json:"idleTimeoutMinutes,omitzero" tfsdk:"idle_timeout_minutes"`

	IPAccessList []IPAccessEntry `json:"ipAccessList,omitzero" tfsdk:"ip_access_list"`
	CreatedAt    *string         `json:"createdAt,omitzero"    tfsdk:"created_at"`

	EncryptionKey                   *string  `json:"encryptionKey,omitzero"                   tfsdk:"encryption_key"`
	EncryptionAssumedRoleIdentifier *string  `json:"encryptionAssumedRoleIdentifier,omitzero" tfsdk:"encryption_assumed_role_identifier"`
	IAMRole                         *string  `json:"iamRole,omitzero"                         tfsdk:"iam_role"`
	PrivateEndpointIDs              []string `json:"privateEndpointIds,omitzero"              tfsdk:"private_endpoint_ids"`
	AvailablePrivateEndpointIDs     []string `json:"availablePrivateEndpointIds,omitzero"     tfsdk:"available_private_endpoint_ids"`
	DataWarehouseID                 *string  `json:"dataWarehouseId,omitzero"                 tfsdk:"data_warehouse_id"`
	// IsPrimary reports whether the service is the first of its warehouse. Such a
	// service needs at least 2 replicas, unless the tier of the organization allows
	// fewer.
	IsPrimary                      *bool   `json:"isPrimary,omitzero"                      tfsdk:"is_primary"`
	IsReadonly                     *bool   `json:"isReadonly,omitzero"                     tfsdk:"is_readonly"`
	BYOCID                         *string `json:"byocId,omitzero"                         tfsdk:"byoc_id"`
	HasTransparentDataEncryption   *bool   `json:"hasTransparentDataEncryption,omitzero"   tfsdk:"has_transparent_data_encryption"`
	TransparentDataEncryptionKeyID *string `json:"transparentDataEncryptionKeyId,omitzero" tfsdk:"transparent_data_encryption_key_id"`
	EncryptionRoleID               *string `json:"encryptionRoleId,omitzero"               tfsdk:"encryption_role_id"`
}

// Endpoint is one network address of a service ("endpoints" of a service in the
// API document).
type Endpoint struct {
	Protocol *string `json:"protocol,omitzero" tfsdk:"protocol"`
	Host     *string `json:"host,omitzero"     tfsdk:"host"`
	Port     *Number `json:"port,omitzero"     tfsdk:"port"`
	Username *string `json:"username,omitzero" tfsdk:"username"`
}

// IPAccessEntry is an address or CIDR block that may use a service or an API key
// ("IP access entry" in the API document).
type IPAccessEntry struct {
	Source      *string `json:"source,omitzero"      tfsdk:"source"`
	Description *string `json:"description,omitzero" tfsdk:"description"`
}

// ScalingUpdate is the body of a scaling update ("Update service auto scaling
// settings" in the API document). A nil field is not sent.
type ScalingUpdate struct {
	// The two totals are deprecated in the API document: the memory of three workers,
	// in GB, between 24 and 1068, a multiple of 12.
	MinTotalMemoryGB *Number `json:"minTotalMemoryGb,omitzero"   tfsdk:"min_total_memory_gb"`
	MaxTotalMemoryGB *Number `json:"maxTotalMemoryGb,omitzero"   tfsdk:"max_total_memory_gb"`
	// NumReplicas is between 1 and 20.
	NumReplicas *Number `json:"numReplicas,omitzero"        tfsdk:"num_replicas"`
	IdleScaling *bool   `json:"idleScaling,omitzero"        tfsdk:"idle_scaling"`
	// IdleTimeoutMinutes is at least 5.
	IdleTimeoutMinutes *Number `json:"idleTimeoutMinutes,omitzero" tfsdk:"idle_timeout_minutes"`
}

// ListServices lists the services of an organization in the API's order ("List
// organization services" in the API document). filter is sent as it is; the API
// supports only filtering by resource tags. The list begins after the call: what the
// caller depends on may have been written by another client. Calls at a time share it.
func (c *Client) ListServices(ctx context.Context, organizationID string, filter []string) ([]Service, error) {
	const operation = "list services"
	if err := checkIDs(operation, organizationID); err != nil {
		return nil, err
	}
	r := c.listRequest(organizationID, filter)
	found, err := c.lists.list(ctx, r, c.lists.fromNow())
	if err != nil {
		return nil, err
	}
	return c.decodeAll(r, found.value.all)
}

// GetService reads one service from the list of its organization, since the API
// cannot read a single service. The result may be up to 30 s old, but is newer
// than every write of this client to the service, and than what it returned before.
//
// complete reports whether a reading has every field that earlier reads of the
// service had; nil if there is nothing to miss. A reading that is not complete is
// returned only if another list omits fields too: then both are returned, the
// newest first, and the caller takes from the second what the first omits. A
// complete one is returned alone.
//
// If two consecutive lists omit the service, the error is one that IsNotFound. All
// callers share the lists that this needs.
func (c *Client) GetService(ctx context.Context, organizationID, serviceID string, complete func(*Service) bool) ([]*Service, error) {
	found, err := c.serviceFrom(ctx, organizationID, serviceID, c.lists.sinceOutdated(organizationID, serviceID), complete)
	if err == nil {
		c.lists.outdate(organizationID, serviceID)
	}
	return found, err
}

// GetFreshService reads one service like GetService, from a list that begins after the
// call, like that of ListServices.
func (c *Client) GetFreshService(ctx context.Context, organizationID, serviceID string) (*Service, error) {
	found, err := c.serviceFrom(ctx, organizationID, serviceID, c.lists.fromNow(), nil)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

const readService = "read service"

// serviceFrom is GetService with lists that meet a need.
func (c *Client) serviceFrom(ctx context.Context, organizationID, serviceID string, n need, complete func(*Service) bool) ([]*Service, error) {
	if err := checkIDs(readService, organizationID, serviceID); err != nil {
		return nil, err
	}
	at := strings.ToLower(serviceID)
	used, err := c.lists.look(ctx, c.listRequest(organizationID, nil), n, func(s *services) sight {
		e := s.byID[at]
		if e == nil {
			return omitted
		}
		// One that cannot be decoded is there: it is an error only if the list is used.
		if service, err := c.decodeService(e); complete != nil && err == nil && !complete(service) {
			return partial
		}
		return whole
	})
	if err != nil {
		return nil, err
	}
	// What the lists say of the service is about a request of its own for the user.
	asked := c.inOrganization(readService, fmt.Sprintf("service %s in organization %s", serviceID, organizationID), organizationID)
	if len(used) == 0 {
		gone := asked.NewError(rest.Final, nil)
		gone.Message = fmt.Sprintf("Organization %s has no service %s: two consecutive lists of its services omit it.", organizationID, serviceID)
		gone.NotFound = true
		return nil, gone
	}
	readings := make([]*Service, len(used))
	for i, list := range used {
		if readings[i], err = c.decodeService(list.byID[at]); err != nil {
			return nil, unreadable(asked, err)
		}
	}
	return readings, nil
}

// FindServices returns the services of an organization with exactly this name, from a
// list that begins after the call, like that of ListServices. Like GetService, it returns
// none only if two consecutive lists have none.
func (c *Client) FindServices(ctx context.Context, organizationID, name string) ([]Service, error) {
	if err := checkIDs(readService, organizationID); err != nil {
		return nil, err
	}
	r := c.listRequest(organizationID, nil)
	used, err := c.lists.look(ctx, r, c.lists.fromNow(), func(s *services) sight {
		if len(s.named(name)) == 0 {
			return omitted
		}
		return whole
	})
	if err != nil || len(used) == 0 {
		return nil, err
	}
	return c.decodeAll(r, used[0].named(name))
}

// UpdateServiceScaling changes the scaling settings of a service ("Update
// service auto scaling settings" in the API document) and returns the updated
// service; nil if a success has no result. It is retried like a read, since its
// values are absolute.
func (c *Client) UpdateServiceScaling(ctx context.Context, organizationID, serviceID string, body ScalingUpdate) (*Service, error) {
	var service *Service
	r := c.inOrganization("update service scaling", fmt.Sprintf("the scaling of service %s in organization %s", serviceID, organizationID),
		organizationID, "services", serviceID, "scaling")
	if err := checkIDs(r.Operation, organizationID, serviceID); err != nil {
		return nil, err
	}
	var err error
	if r.Body, err = encode(body); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Operation, err)
	}
	r.Method = http.MethodPatch
	r.Accept = intoOptional(&service, c.management.member, serviceID)
	r.Invalidate = func() { c.lists.outdate(organizationID, serviceID) }
	if err := c.send(ctx, c.management, r); err != nil {
		return nil, err
	}
	return service, nil
}

// decodeService decodes a copy of a service in a list.
func (c *Client) decodeService(e *entry) (*Service, error) {
	service, err := decode[Service](e.json)
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", rest.Clean(c.Mask(e.id), rest.MaxID), err)
	}
	return service, nil
}

// decodeAll decodes copies of services in the response to a request.
func (c *Client) decodeAll(r *rest.Request, entries []*entry) ([]Service, error) {
	all := make([]Service, len(entries))
	for i, e := range entries {
		service, err := c.decodeService(e)
		if err != nil {
			return nil, unreadable(r, err)
		}
		all[i] = *service
	}
	return all, nil
}

func (c *Client) listRequest(organizationID string, filter []string) *rest.Request {
	r := c.inOrganization("list services", "services of organization "+organizationID, organizationID, "services")
	r.Method = http.MethodGet
	r.Query = url.Values{"filter": filter}
	r.MaxBody = rest.MaxList
	r.NamesObject, r.NotFoundAdvice = false, checkOrganization
	return r
}

// unreadable is the error of a complete response that the API document does not
// describe.
func unreadable(r *rest.Request, err error) error {
	e := r.NewError(rest.Unreadable, err)
	e.Status, e.Attempts = http.StatusOK, 1
	return e
}
