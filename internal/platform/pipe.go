package platform

import (
	"context"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// PipeUpdate is the body of the update of a pipe ("Update pipe" in the API
// document). A nil field is not sent.
type PipeUpdate struct {
	Name          *string                   `json:"name,omitzero"`
	Source        *PipeSourceUpdate         `json:"source,omitzero"`
	Destination   *DestinationUpdate        `json:"destination,omitzero"`
	FieldMappings []FieldMapping            `json:"fieldMappings,omitzero"`
	Settings      map[string]jsontext.Value `json:"settings,omitzero"`
}

// DestinationUpdate is the destination in the update of a pipe.
type DestinationUpdate struct {
	Columns []Column `json:"columns,omitzero"`
}

// Column is one column of the destination table.
type Column struct {
	Name *string `json:"name,omitzero"`
	Type *string `json:"type,omitzero"`
}

// FieldMapping maps a field of the source to a column of the destination.
type FieldMapping struct {
	SourceField      *string `json:"sourceField,omitzero"`
	DestinationField *string `json:"destinationField,omitzero"`
}

// PipeSourceUpdate is the source in the update of a pipe.
type PipeSourceUpdate struct {
	Kafka           *KafkaUpdate         `json:"kafka,omitzero"`
	ObjectStorage   *ObjectStorageUpdate `json:"objectStorage,omitzero"`
	CloudStream     *CloudStreamUpdate   `json:"cloudStream,omitzero"`
	Postgres        *PostgresUpdate      `json:"postgres,omitzero"`
	ValidateSamples *bool                `json:"validateSamples,omitzero"`
}

// KafkaUpdate is source.kafka in the update of a pipe.
type KafkaUpdate struct {
	IAMRole                   *string      `json:"iamRole,omitzero"`
	CACertificate             *string      `json:"caCertificate,omitzero"`
	ReversePrivateEndpointIDs []string     `json:"reversePrivateEndpointIds,omitzero"`
	Credentials               *Credentials `json:"credentials,omitzero"`
}

// ObjectStorageUpdate is source.objectStorage in the update of a pipe.
type ObjectStorageUpdate struct {
	IAMRole            *string    `json:"iamRole,omitzero"`
	ConnectionString   *string    `json:"connectionString,omitzero"`
	Path               *string    `json:"path,omitzero"`
	AzureContainerName *string    `json:"azureContainerName,omitzero"`
	AccessKey          *AccessKey `json:"accessKey,omitzero"`
}

// CloudStreamUpdate is source.cloudStream in the update of a pipe.
type CloudStreamUpdate struct {
	IAMRole   *string    `json:"iamRole,omitzero"`
	AccessKey *AccessKey `json:"accessKey,omitzero"`
}

// PostgresUpdate is source.postgres in the update of a pipe. TableMappings is never sent.
type PostgresUpdate struct {
	Host                  *string                   `json:"host,omitzero"`
	Port                  jsontext.Value            `json:"port,omitzero"`
	Database              *string                   `json:"database,omitzero"`
	Settings              map[string]jsontext.Value `json:"settings,omitzero"`
	TableMappings         []TableMapping            `json:"tableMappings,omitzero"`
	Credentials           *Credentials              `json:"credentials,omitzero"`
	TableMappingsToAdd    []TableMapping            `json:"tableMappingsToAdd,omitzero"`
	TableMappingsToRemove []TableMappingKey         `json:"tableMappingsToRemove,omitzero"`
}

// TableMapping maps a Postgres table to a table of the database ("Table mapping"
// in the API document). It is identified by source schema, source table and target
// table.
type TableMapping struct {
	SourceSchemaName    *string  `json:"sourceSchemaName,omitzero"`
	SourceTable         *string  `json:"sourceTable,omitzero"`
	TargetTable         *string  `json:"targetTable,omitzero"`
	ExcludedColumns     []string `json:"excludedColumns,omitzero"`
	UseCustomSortingKey *bool    `json:"useCustomSortingKey,omitzero"`
	SortingKeys         []string `json:"sortingKeys,omitzero"`
}

// TableMappingKey identifies a table mapping.
type TableMappingKey struct {
	SourceSchemaName string `json:"sourceSchemaName"`
	SourceTable      string `json:"sourceTable"`
	TargetTable      string `json:"targetTable"`
}

// Credentials are a user's name and password. The API never returns them.
type Credentials struct {
	Username *string `json:"username,omitzero"`
	Password *string `json:"password,omitzero"`
}

// AccessKey is an access key of an object store or a managed stream. The API
// never returns it.
type AccessKey struct {
	AccessKeyID *string `json:"accessKeyId,omitzero"`
	SecretKey   *string `json:"secretKey,omitzero"`
}

// GetPipe reads one pipe ("Get pipe" in the API document).
func (c *Client) GetPipe(ctx context.Context, organizationID, serviceID, pipeID string, read Read) error {
	r, err := c.pipeRequest("read pipe", organizationID, serviceID, pipeID)
	if err != nil {
		return err
	}
	return c.get(ctx, c.management, r, read)
}

// UpdatePipe sends body to a pipe ("Update pipe" in the API document) and reads
// the updated pipe, unless a success has no result.
//
// It is retried like a read, since its values are absolute. A body that adds or
// removes table mappings is retried only if it cannot have been carried out, since
// that must not happen twice. If it may have been carried out, reconcile is
// called, within the same retry_timeout: it reads the pipe again and returns the
// body that is still needed. If that is nil, UpdatePipe reads nothing. If
// reconcile itself is nil, such an error is final.
func (c *Client) UpdatePipe(ctx context.Context, organizationID, serviceID, pipeID string, body PipeUpdate, reconcile func(context.Context) (*PipeUpdate, error), read Read) error {
	r, err := c.pipeRequest("update pipe", organizationID, serviceID, pipeID)
	if err != nil {
		return err
	}
	r.Method = http.MethodPatch
	r.Accept = optional(c.management.accept(pipeID, read))
	set := func(body *PipeUpdate) (err error) {
		r.NonIdempotent = body.changesMappings()
		r.Body, err = encode(body)
		return err
	}
	if err := set(&body); err != nil {
		return fmt.Errorf("%s: %w", r.Operation, err)
	}
	if reconcile != nil {
		r.Reconcile = func(ctx context.Context) (needed bool, err error) {
			more, err := reconcile(ctx)
			if err != nil || more == nil {
				return false, err
			}
			return true, set(more)
		}
	}
	return c.send(ctx, c.management, r)
}

func (c *Client) pipeRequest(operation, organizationID, serviceID, pipeID string) (*rest.Request, error) {
	r := c.inOrganization(operation, fmt.Sprintf("pipe %s of service %s in organization %s", pipeID, serviceID, organizationID),
		organizationID, "services", serviceID, "pipes", pipeID)
	r.GoneAdvice = "If the pipe was deleted, remove it from the configuration, and from the state with terraform state rm, " +
		"or create it again in the platform's console and set its ID."
	return r, checkIDs(operation, organizationID, serviceID, pipeID)
}

// changesMappings reports whether a body adds or removes table mappings.
func (u *PipeUpdate) changesMappings() bool {
	if u.Source == nil || u.Source.Postgres == nil {
		return false
	}
	p := u.Source.Postgres
	return len(p.TableMappingsToAdd) > 0 || len(p.TableMappingsToRemove) > 0
}
