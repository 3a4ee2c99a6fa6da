package platform

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Pipe is one data-ingestion pipe of a service ("Pipe" in the API document).
// A field that a response omits is nil.
type Pipe struct {
	ID            *string          `json:"id,omitzero"            tfsdk:"pipe_id"`
	ServiceID     *string          `json:"serviceId,omitzero"     tfsdk:"service_id"`
	Name          *string          `json:"name,omitzero"          tfsdk:"name"`
	State         *string          `json:"state,omitzero"         tfsdk:"state"`
	Scaling       *PipeScaling     `json:"scaling,omitzero"       tfsdk:"scaling"`
	Source        *PipeSource      `json:"source,omitzero"        tfsdk:"source"`
	Destination   *PipeDestination `json:"destination,omitzero"   tfsdk:"destination"`
	FieldMappings []FieldMapping   `json:"fieldMappings,omitzero" tfsdk:"field_mappings"`
	Settings      *PipeSettings    `json:"settings,omitzero"      tfsdk:"settings"`
	CreatedAt     *string          `json:"createdAt,omitzero"     tfsdk:"created_at"`
	UpdatedAt     *string          `json:"updatedAt,omitzero"     tfsdk:"updated_at"`
}

// PipeScaling is the size of a pipe: the number of replicas and, of each replica,
// concurrency, CPU in thousandths of a core and memory in GB.
type PipeScaling struct {
	Replicas             *Number `json:"replicas,omitzero"             tfsdk:"replicas"`
	Concurrency          *Number `json:"concurrency,omitzero"          tfsdk:"concurrency"`
	ReplicaCPUMillicores *Number `json:"replicaCpuMillicores,omitzero" tfsdk:"replica_cpu_millicores"`
	ReplicaMemoryGB      *Number `json:"replicaMemoryGb,omitzero"      tfsdk:"replica_memory_gb"`
}

// PipeSource is where a pipe reads from ("source" of a pipe in the API document).
// It has one or more kinds; those that the pipe does not have are nil.
type PipeSource struct {
	Kafka         *KafkaSource         `json:"kafka,omitzero"         tfsdk:"kafka"`
	ObjectStorage *ObjectStorageSource `json:"objectStorage,omitzero" tfsdk:"object_storage"`
	CloudStream   *CloudStreamSource   `json:"cloudStream,omitzero"   tfsdk:"cloud_stream"`
	Postgres      *PostgresSource      `json:"postgres,omitzero"      tfsdk:"postgres"`
}

// KafkaSource is source.kafka in the API document.
type KafkaSource struct {
	Brokers                   *string         `json:"brokers,omitzero"                   tfsdk:"brokers"`
	Topics                    *string         `json:"topics,omitzero"                    tfsdk:"topics"`
	ConsumerGroup             *string         `json:"consumerGroup,omitzero"             tfsdk:"consumer_group"`
	IAMRole                   *string         `json:"iamRole,omitzero"                   tfsdk:"iam_role"`
	Offset                    *KafkaOffset    `json:"offset,omitzero"                    tfsdk:"offset"`
	SchemaRegistry            *SchemaRegistry `json:"schemaRegistry,omitzero"            tfsdk:"schema_registry"`
	CACertificate             *string         `json:"caCertificate,omitzero"             tfsdk:"ca_certificate"`
	ReversePrivateEndpointIDs []string        `json:"reversePrivateEndpointIds,omitzero" tfsdk:"reverse_private_endpoint_ids"`
}

// KafkaOffset is where reading starts. Timestamp has the form YYYY-MM-DDThh:mm.
type KafkaOffset struct {
	Timestamp *string `json:"timestamp,omitzero" tfsdk:"timestamp"`
}

// SchemaRegistry is where a Kafka source gets its schemas from.
type SchemaRegistry struct {
	URL           *string `json:"url,omitzero"           tfsdk:"url"`
	CACertificate *string `json:"caCertificate,omitzero" tfsdk:"ca_certificate"`
}

// ObjectStorageSource is source.objectStorage in the API document.
type ObjectStorageSource struct {
	URL                *string `json:"url,omitzero"                tfsdk:"url"`
	Delimiter          *string `json:"delimiter,omitzero"          tfsdk:"delimiter"`
	Compression        *string `json:"compression,omitzero"        tfsdk:"compression"`
	IsContinuous       *bool   `json:"isContinuous,omitzero"       tfsdk:"is_continuous"`
	QueueURL           *string `json:"queueUrl,omitzero"           tfsdk:"queue_url"`
	IAMRole            *string `json:"iamRole,omitzero"            tfsdk:"iam_role"`
	ConnectionString   *string `json:"connectionString,omitzero"   tfsdk:"connection_string"`
	Path               *string `json:"path,omitzero"               tfsdk:"path"`
	AzureContainerName *string `json:"azureContainerName,omitzero" tfsdk:"azure_container_name"`
}

// CloudStreamSource is source.cloudStream in the API document: a managed stream.
type CloudStreamSource struct {
	StreamName        *string `json:"streamName,omitzero"        tfsdk:"stream_name"`
	Region            *string `json:"region,omitzero"            tfsdk:"region"`
	UseEnhancedFanOut *bool   `json:"useEnhancedFanOut,omitzero" tfsdk:"use_enhanced_fan_out"`
	// Timestamp is in seconds since 1970-01-01T00:00:00Z.
	Timestamp *Number `json:"timestamp,omitzero" tfsdk:"timestamp"`
	IAMRole   *string `json:"iamRole,omitzero"   tfsdk:"iam_role"`
}

// PostgresSource is source.postgres in the API document.
type PostgresSource struct {
	Host          *string           `json:"host,omitzero"          tfsdk:"host"`
	Port          *Number           `json:"port,omitzero"          tfsdk:"port"`
	Database      *string           `json:"database,omitzero"      tfsdk:"database"`
	Settings      *PostgresSettings `json:"settings,omitzero"      tfsdk:"settings"`
	TableMappings []TableMapping    `json:"tableMappings,omitzero" tfsdk:"table_mappings"`
}

// PostgresSettings are the replication settings of a Postgres source. An update
// accepts only SyncIntervalSeconds and PullBatchSize.
type PostgresSettings struct {
	SyncIntervalSeconds            *Number `json:"syncIntervalSeconds,omitzero"            tfsdk:"sync_interval_seconds"`
	PullBatchSize                  *Number `json:"pullBatchSize,omitzero"                  tfsdk:"pull_batch_size"`
	PublicationName                *string `json:"publicationName,omitzero"                tfsdk:"publication_name"`
	ReplicationSlotName            *string `json:"replicationSlotName,omitzero"            tfsdk:"replication_slot_name"`
	AllowNullableColumns           *bool   `json:"allowNullableColumns,omitzero"           tfsdk:"allow_nullable_columns"`
	InitialLoadParallelism         *Number `json:"initialLoadParallelism,omitzero"         tfsdk:"initial_load_parallelism"`
	SnapshotNumRowsPerPartition    *Number `json:"snapshotNumRowsPerPartition,omitzero"    tfsdk:"snapshot_num_rows_per_partition"`
	SnapshotNumberOfParallelTables *Number `json:"snapshotNumberOfParallelTables,omitzero" tfsdk:"snapshot_number_of_parallel_tables"`
	EnableFailoverSlots            *bool   `json:"enableFailoverSlots,omitzero"            tfsdk:"enable_failover_slots"`
}

// TableMapping maps a Postgres table to a table of the database ("Table mapping"
// in the API document). It is identified by source schema, source table and target
// table.
type TableMapping struct {
	SourceSchemaName    *string  `json:"sourceSchemaName,omitzero"    tfsdk:"source_schema_name"`
	SourceTable         *string  `json:"sourceTable,omitzero"         tfsdk:"source_table"`
	TargetTable         *string  `json:"targetTable,omitzero"         tfsdk:"target_table"`
	ExcludedColumns     []string `json:"excludedColumns,omitzero"     tfsdk:"excluded_columns"`
	UseCustomSortingKey *bool    `json:"useCustomSortingKey,omitzero" tfsdk:"use_custom_sorting_key"`
	SortingKeys         []string `json:"sortingKeys,omitzero"         tfsdk:"sorting_keys"`
}

// PipeDestination is where a pipe writes to ("destination" in the API document).
// An update accepts only Columns.
type PipeDestination struct {
	Database        *string          `json:"database,omitzero"        tfsdk:"database"`
	Table           *string          `json:"table,omitzero"           tfsdk:"table"`
	ManagedTable    *bool            `json:"managedTable,omitzero"    tfsdk:"managed_table"`
	TableDefinition *TableDefinition `json:"tableDefinition,omitzero" tfsdk:"table_definition"`
	Columns         []Column         `json:"columns,omitzero"         tfsdk:"columns"`
}

// TableDefinition is the definition of the destination table.
type TableDefinition struct {
	Engine      *TableEngine `json:"engine,omitzero"      tfsdk:"engine"`
	SortingKey  []string     `json:"sortingKey,omitzero"  tfsdk:"sorting_key"`
	PartitionBy *string      `json:"partitionBy,omitzero" tfsdk:"partition_by"`
	PrimaryKey  *string      `json:"primaryKey,omitzero"  tfsdk:"primary_key"`
}

// TableEngine has the columns that the engine of the destination table uses.
type TableEngine struct {
	VersionColumnID *string  `json:"versionColumnId,omitzero" tfsdk:"version_column_id"`
	ColumnIDs       []string `json:"columnIds,omitzero"       tfsdk:"column_ids"`
}

// Column is one column of the destination table.
type Column struct {
	Name *string `json:"name,omitzero" tfsdk:"name"`
	Type *string `json:"type,omitzero" tfsdk:"type"`
}

// FieldMapping maps a field of the source to a column of the destination.
type FieldMapping struct {
	SourceField      *string `json:"sourceField,omitzero"      tfsdk:"source_field"`
	DestinationField *string `json:"destinationField,omitzero" tfsdk:"destination_field"`
}

// PipeSettings are the advanced settings of a pipe ("Pipe settings" in the API
// document), the only fields whose API names are in snake_case.
type PipeSettings struct {
	StreamingMaxInsertWaitMS           *Number `json:"streaming_max_insert_wait_ms,omitzero"           tfsdk:"streaming_max_insert_wait_ms"`
	ObjectStorageConcurrency           *Number `json:"object_storage_concurrency,omitzero"             tfsdk:"object_storage_concurrency"`
	ObjectStoragePollingIntervalMS     *Number `json:"object_storage_polling_interval_ms,omitzero"     tfsdk:"object_storage_polling_interval_ms"`
	ObjectStorageMaxInsertBytes        *Number `json:"object_storage_max_insert_bytes,omitzero"        tfsdk:"object_storage_max_insert_bytes"`
	ObjectStorageMaxFileCount          *Number `json:"object_storage_max_file_count,omitzero"          tfsdk:"object_storage_max_file_count"`
	EngineMaxThreads                   *Number `json:"engine_max_threads,omitzero"                     tfsdk:"engine_max_threads"`
	EngineMaxInsertThreads             *Number `json:"engine_max_insert_threads,omitzero"              tfsdk:"engine_max_insert_threads"`
	EngineMinInsertBlockSizeBytes      *Number `json:"engine_min_insert_block_size_bytes,omitzero"     tfsdk:"engine_min_insert_block_size_bytes"`
	EngineMaxDownloadThreads           *Number `json:"engine_max_download_threads,omitzero"            tfsdk:"engine_max_download_threads"`
	EngineParallelDistributedInsertSel *Number `json:"engine_parallel_distributed_insert_select,omitzero" tfsdk:"engine_parallel_distributed_insert_select"`
	ObjectStorageUseClusterFunction    *bool   `json:"object_storage_use_cluster_function,omitzero"    tfsdk:"object_storage_use_cluster_function"`
	EngineParallelViewProcessing       *bool   `json:"engine_parallel_view_processing,omitzero"        tfsdk:"engine_parallel_view_processing"`
}

// PipeUpdate is the body of the update of a pipe ("Update pipe" in the API
// document). A nil field is not sent.
type PipeUpdate struct {
	Name          *string            `json:"name,omitzero"          tfsdk:"name"`
	Source        *PipeSourceUpdate  `json:"source,omitzero"        tfsdk:"source"`
	Destination   *DestinationUpdate `json:"destination,omitzero"   tfsdk:"destination"`
	FieldMappings []FieldMapping     `json:"fieldMappings,omitzero" tfsdk:"field_mappings"`
	Settings      *PipeSettings      `json:"settings,omitzero"      tfsdk:"settings"`
}

// DestinationUpdate is the destination in the update of a pipe.
type DestinationUpdate struct {
	Columns []Column `json:"columns,omitzero" tfsdk:"columns"`
}

// PipeSourceUpdate is the source in the update of a pipe. Its kinds embed the
// types of responses; the API document allows only some members, and the caller
// must not set the others.
type PipeSourceUpdate struct {
	Kafka           *KafkaUpdate         `json:"kafka,omitzero"         tfsdk:"kafka"`
	ObjectStorage   *ObjectStorageUpdate `json:"objectStorage,omitzero" tfsdk:"object_storage"`
	CloudStream     *CloudStreamUpdate   `json:"cloudStream,omitzero"   tfsdk:"cloud_stream"`
	Postgres        *PostgresUpdate      `json:"postgres,omitzero"      tfsdk:"postgres"`
	ValidateSamples *bool                `json:"validateSamples,omitzero"`
}

// KafkaUpdate allows iamRole, caCertificate, reversePrivateEndpointIds and
// credentials.
type KafkaUpdate struct {
	KafkaSource
	Credentials *Credentials `json:"credentials,omitzero"`
}

// ObjectStorageUpdate allows iamRole, connectionString, path,
// azureContainerName and accessKey.
type ObjectStorageUpdate struct {
	ObjectStorageSource
	AccessKey *AccessKey `json:"accessKey,omitzero"`
}

// CloudStreamUpdate allows iamRole and accessKey.
type CloudStreamUpdate struct {
	CloudStreamSource
	AccessKey *AccessKey `json:"accessKey,omitzero"`
}

// PostgresUpdate allows host, port, database, credentials, two settings, and
// table mappings to add and to remove.
type PostgresUpdate struct {
	PostgresSource
	Credentials           *Credentials      `json:"credentials,omitzero"`
	TableMappingsToAdd    []TableMapping    `json:"tableMappingsToAdd,omitzero"`
	TableMappingsToRemove []TableMappingKey `json:"tableMappingsToRemove,omitzero"`
}

// TableMappingKey identifies a table mapping.
type TableMappingKey struct {
	SourceSchemaName string `json:"sourceSchemaName" tfsdk:"source_schema_name"`
	SourceTable      string `json:"sourceTable"      tfsdk:"source_table"`
	TargetTable      string `json:"targetTable"      tfsdk:"target_table"`
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

// GetPipe reads one pipe ("Get pipe" in the API document). Equal reads in flight
// share one request. A read that began before a write of this client to the pipe
// never serves one that began after it.
func (c *Client) GetPipe(ctx context.Context, organizationID, serviceID, pipeID string) (*Pipe, error) {
	r, err := c.pipeRequest("read pipe", organizationID, serviceID, pipeID)
	if err != nil {
		return nil, err
	}
	return get[Pipe](ctx, c, c.management, r)
}

// PipePatch is a PATCH of a pipe. Leaves names what the body carries, for the log. A body
// that adds or removes table mappings has AsOf, when the mappings were read that it rests
// on, and Ask: it reads them again, and returns what is left to be sent, nil for nothing.
type PipePatch struct {
	Body   PipeUpdate
	Leaves []string
	AsOf   time.Time
	Ask    func(context.Context) (*PipePatch, error)
}

// UpdatePipe sends a patch to a pipe ("Update pipe" in the API document) and returns the
// updated pipe; nil if a success has no result, or if nothing was left to be sent.
//
// It is retried like a read, since its values are absolute. A patch with Ask asks before
// it is sent again, and before it is sent late, within the same retry_timeout.
func (c *Client) UpdatePipe(ctx context.Context, organizationID, serviceID, pipeID string, patch PipePatch) (*Pipe, error) {
	r, err := c.pipeRequest("update pipe", organizationID, serviceID, pipeID)
	if err != nil {
		return nil, err
	}
	var pipe *Pipe
	r.Method = http.MethodPatch
	r.Accept = intoOptional(&pipe, c.management.member, pipeID)
	r.Invalidate = func() { c.management.reads.forget(r.Key()) }
	if err := patch.declare(r); err != nil {
		return nil, fmt.Errorf("%s: %w", r.Operation, err)
	}
	if err := c.send(ctx, c.management, r); err != nil {
		return nil, err
	}
	return pipe, nil
}

// declare puts a patch into its request.
func (p PipePatch) declare(r *rest.Request) (err error) {
	r.Leaves, r.AsOf, r.Ask = p.Leaves, p.AsOf, nil
	if p.Ask != nil {
		r.Ask = func(ctx context.Context) (needed bool, err error) {
			left, err := p.Ask(ctx)
			if err != nil || left == nil {
				return false, err
			}
			return true, left.declare(r)
		}
	}
	r.Body, err = encode(&p.Body)
	return err
}

func (c *Client) pipeRequest(operation, organizationID, serviceID, pipeID string) (*rest.Request, error) {
	r := c.inOrganization(operation, fmt.Sprintf("pipe %s of service %s in organization %s", pipeID, serviceID, organizationID),
		organizationID, "services", serviceID, "pipes", pipeID)
	r.GoneAdvice = "If the pipe was deleted, remove it from the configuration, and from the state with terraform state rm, " +
		"or create it again in the platform's console and set its ID."
	return r, checkIDs(operation, organizationID, serviceID, pipeID)
}
