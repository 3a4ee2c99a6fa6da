package platform

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Pipe is one data-ingestion pipe of a service ("Pipe" in the API document).
// Any field may be missing from an answer, and is nil then.
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

// PipeScaling is the size of a pipe: replicas, parallel work of each, CPU in
// thousandths of a core and memory in GB of each.
type PipeScaling struct {
	Replicas             *float64 `json:"replicas,omitzero"             tfsdk:"replicas"`
	Concurrency          *float64 `json:"concurrency,omitzero"          tfsdk:"concurrency"`
	ReplicaCPUMillicores *float64 `json:"replicaCpuMillicores,omitzero" tfsdk:"replica_cpu_millicores"`
	ReplicaMemoryGB      *float64 `json:"replicaMemoryGb,omitzero"      tfsdk:"replica_memory_gb"`
}

// PipeSource says where a pipe reads from: one or more kinds, as the platform
// has it.
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

// KafkaOffset is where reading starts, in the form YYYY-MM-DDThh:mm.
type KafkaOffset struct {
	Timestamp *string `json:"timestamp,omitzero" tfsdk:"timestamp"`
}

// SchemaRegistry is the registry a Kafka source takes its schemas from.
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

// CloudStreamSource is source.cloudStream in the API document, a managed
// stream.
type CloudStreamSource struct {
	StreamName        *string `json:"streamName,omitzero"        tfsdk:"stream_name"`
	Region            *string `json:"region,omitzero"            tfsdk:"region"`
	UseEnhancedFanOut *bool   `json:"useEnhancedFanOut,omitzero" tfsdk:"use_enhanced_fan_out"`
	// Seconds since 1970-01-01T00:00:00Z.
	Timestamp *float64 `json:"timestamp,omitzero" tfsdk:"timestamp"`
	IAMRole   *string  `json:"iamRole,omitzero"   tfsdk:"iam_role"`
}

// PostgresSource is source.postgres in the API document.
type PostgresSource struct {
	Host          *string           `json:"host,omitzero"          tfsdk:"host"`
	Port          *Integer          `json:"port,omitzero"          tfsdk:"port"`
	Database      *string           `json:"database,omitzero"      tfsdk:"database"`
	Settings      *PostgresSettings `json:"settings,omitzero"      tfsdk:"settings"`
	TableMappings []TableMapping    `json:"tableMappings,omitzero" tfsdk:"table_mappings"`
}

// PostgresSettings are the replication settings of a Postgres source. An
// update takes SyncIntervalSeconds and PullBatchSize alone.
type PostgresSettings struct {
	SyncIntervalSeconds            *Integer `json:"syncIntervalSeconds,omitzero"            tfsdk:"sync_interval_seconds"`
	PullBatchSize                  *Integer `json:"pullBatchSize,omitzero"                  tfsdk:"pull_batch_size"`
	PublicationName                *string  `json:"publicationName,omitzero"                tfsdk:"publication_name"`
	ReplicationSlotName            *string  `json:"replicationSlotName,omitzero"            tfsdk:"replication_slot_name"`
	AllowNullableColumns           *bool    `json:"allowNullableColumns,omitzero"           tfsdk:"allow_nullable_columns"`
	InitialLoadParallelism         *float64 `json:"initialLoadParallelism,omitzero"         tfsdk:"initial_load_parallelism"`
	SnapshotNumRowsPerPartition    *float64 `json:"snapshotNumRowsPerPartition,omitzero"    tfsdk:"snapshot_num_rows_per_partition"`
	SnapshotNumberOfParallelTables *float64 `json:"snapshotNumberOfParallelTables,omitzero" tfsdk:"snapshot_number_of_parallel_tables"`
	EnableFailoverSlots            *bool    `json:"enableFailoverSlots,omitzero"            tfsdk:"enable_failover_slots"`
}

// TableMapping maps one Postgres table to one of the database. Schema, table
// and target together name it.
type TableMapping struct {
	SourceSchemaName    *string  `json:"sourceSchemaName,omitzero"    tfsdk:"source_schema_name"`
	SourceTable         *string  `json:"sourceTable,omitzero"         tfsdk:"source_table"`
	TargetTable         *string  `json:"targetTable,omitzero"         tfsdk:"target_table"`
	ExcludedColumns     []string `json:"excludedColumns,omitzero"     tfsdk:"excluded_columns"`
	UseCustomSortingKey *bool    `json:"useCustomSortingKey,omitzero" tfsdk:"use_custom_sorting_key"`
	SortingKeys         []string `json:"sortingKeys,omitzero"         tfsdk:"sorting_keys"`
}

// PipeDestination says where a pipe writes to. An update takes Columns alone.
type PipeDestination struct {
	Database        *string          `json:"database,omitzero"        tfsdk:"database"`
	Table           *string          `json:"table,omitzero"           tfsdk:"table"`
	ManagedTable    *bool            `json:"managedTable,omitzero"    tfsdk:"managed_table"`
	TableDefinition *TableDefinition `json:"tableDefinition,omitzero" tfsdk:"table_definition"`
	Columns         []Column         `json:"columns,omitzero"         tfsdk:"columns"`
}

// TableDefinition is how the destination table was made.
type TableDefinition struct {
	Engine      *TableEngine `json:"engine,omitzero"      tfsdk:"engine"`
	SortingKey  []string     `json:"sortingKey,omitzero"  tfsdk:"sorting_key"`
	PartitionBy *string      `json:"partitionBy,omitzero" tfsdk:"partition_by"`
	PrimaryKey  *string      `json:"primaryKey,omitzero"  tfsdk:"primary_key"`
}

// TableEngine names the columns that the engine of a destination table uses.
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
	StreamingMaxInsertWaitMS           *Integer `json:"streaming_max_insert_wait_ms,omitzero"           tfsdk:"streaming_max_insert_wait_ms"`
	ObjectStorageConcurrency           *Integer `json:"object_storage_concurrency,omitzero"             tfsdk:"object_storage_concurrency"`
	ObjectStoragePollingIntervalMS     *Integer `json:"object_storage_polling_interval_ms,omitzero"     tfsdk:"object_storage_polling_interval_ms"`
	ObjectStorageMaxInsertBytes        *Integer `json:"object_storage_max_insert_bytes,omitzero"        tfsdk:"object_storage_max_insert_bytes"`
	ObjectStorageMaxFileCount          *Integer `json:"object_storage_max_file_count,omitzero"          tfsdk:"object_storage_max_file_count"`
	EngineMaxThreads                   *Integer `json:"engine_max_threads,omitzero"                     tfsdk:"engine_max_threads"`
	EngineMaxInsertThreads             *Integer `json:"engine_max_insert_threads,omitzero"              tfsdk:"engine_max_insert_threads"`
	EngineMinInsertBlockSizeBytes      *Integer `json:"engine_min_insert_block_size_bytes,omitzero"     tfsdk:"engine_min_insert_block_size_bytes"`
	EngineMaxDownloadThreads           *Integer `json:"engine_max_download_threads,omitzero"            tfsdk:"engine_max_download_threads"`
	EngineParallelDistributedInsertSel *float64 `json:"engine_parallel_distributed_insert_select,omitzero" tfsdk:"engine_parallel_distributed_insert_select"`
	ObjectStorageUseClusterFunction    *bool    `json:"object_storage_use_cluster_function,omitzero"    tfsdk:"object_storage_use_cluster_function"`
	EngineParallelViewProcessing       *bool    `json:"engine_parallel_view_processing,omitzero"        tfsdk:"engine_parallel_view_processing"`
}

// PipeUpdate is the body of a pipe's update ("Update pipe" in the API
// document). What is nil is not sent.
type PipeUpdate struct {
	Name          *string            `json:"name,omitzero"          tfsdk:"name"`
	Source        *PipeSourceUpdate  `json:"source,omitzero"        tfsdk:"source"`
	Destination   *DestinationUpdate `json:"destination,omitzero"   tfsdk:"destination"`
	FieldMappings []FieldMapping     `json:"fieldMappings,omitzero" tfsdk:"field_mappings"`
	Settings      *PipeSettings      `json:"settings,omitzero"      tfsdk:"settings"`
}

// DestinationUpdate is what an update of a pipe takes of its destination.
type DestinationUpdate struct {
	Columns []Column `json:"columns,omitzero" tfsdk:"columns"`
}

// PipeSourceUpdate is the source of a pipe's update. The document allows a
// change of some members alone; the caller leaves the others nil.
type PipeSourceUpdate struct {
	Kafka           *KafkaUpdate         `json:"kafka,omitzero"         tfsdk:"kafka"`
	ObjectStorage   *ObjectStorageUpdate `json:"objectStorage,omitzero" tfsdk:"object_storage"`
	CloudStream     *CloudStreamUpdate   `json:"cloudStream,omitzero"   tfsdk:"cloud_stream"`
	Postgres        *PostgresUpdate      `json:"postgres,omitzero"      tfsdk:"postgres"`
	ValidateSamples *bool                `json:"validateSamples,omitzero"`
}

// KafkaUpdate takes iamRole, caCertificate, reversePrivateEndpointIds and
// credentials.
type KafkaUpdate struct {
	KafkaSource
	Credentials *Credentials `json:"credentials,omitzero"`
}

// ObjectStorageUpdate takes iamRole, connectionString, path,
// azureContainerName and accessKey.
type ObjectStorageUpdate struct {
	ObjectStorageSource
	AccessKey *AccessKey `json:"accessKey,omitzero"`
}

// CloudStreamUpdate takes iamRole and accessKey.
type CloudStreamUpdate struct {
	CloudStreamSource
	AccessKey *AccessKey `json:"accessKey,omitzero"`
}

// PostgresUpdate takes host, port, database, credentials, two settings, and
// the difference between the table mappings there are and those wanted.
type PostgresUpdate struct {
	PostgresSource
	Credentials           *Credentials      `json:"credentials,omitzero"`
	TableMappingsToAdd    []TableMapping    `json:"tableMappingsToAdd,omitzero"`
	TableMappingsToRemove []TableMappingKey `json:"tableMappingsToRemove,omitzero"`
}

// TableMappingKey names a table mapping.
type TableMappingKey struct {
	SourceSchemaName string `json:"sourceSchemaName" tfsdk:"source_schema_name"`
	SourceTable      string `json:"sourceTable"      tfsdk:"source_table"`
	TargetTable      string `json:"targetTable"      tfsdk:"target_table"`
}

// Credentials are a user's name and password. They go in and never come out.
type Credentials struct {
	Username *string `json:"username,omitzero"`
	Password *string `json:"password,omitzero"`
}

// AccessKey is an access key of an object store or a managed stream. It goes
// in and never comes out.
type AccessKey struct {
	AccessKeyID *string `json:"accessKeyId,omitzero"`
	SecretKey   *string `json:"secretKey,omitzero"`
}

// GetPipe reads one pipe ("Get pipe" in the API document). Equal reads under
// way share one request; a read that began before a write of this client to
// the pipe never answers one that began after it.
func (c *Client) GetPipe(ctx context.Context, organizationID, serviceID, pipeID string) (*Pipe, error) {
	const operation = "read pipe"
	if err := checkPipe(operation, organizationID, serviceID, pipeID); err != nil {
		return nil, err
	}
	fetch := func(ctx context.Context) ([]byte, error) {
		var raw []byte
		err := c.do(ctx, &request{
			operation: operation,
			subject:   pipeSubject(organizationID, serviceID, pipeID),
			api:       c.management,
			method:    http.MethodGet,
			path:      pipePath(organizationID, serviceID, pipeID),
			named:     true,
			accept:    acceptRaw[Pipe](&raw, "result"),
		})
		return raw, err
	}
	raw, err, interrupted := c.pipes.read(ctx, pipeKey(organizationID, serviceID, pipeID), fetch)
	if interrupted != nil {
		return nil, c.interrupted(ctx, operation)
	}
	if err != nil {
		return nil, err
	}
	return decode[Pipe](raw)
}

// UpdatePipe changes what body holds of a pipe ("Update pipe" in the API
// document) and returns the pipe as it is then.
//
// It repeats like a read, since what it sets is absolute, unless body adds or
// removes table mappings: done twice, that is something else. Such a PATCH is
// repeated where it can't have been carried out. Where it may have been,
// rework is called, within the same budget: it reads the pipe afresh and
// returns the body that is still needed, or nil and the pipe as it stands.
// Without a rework such a failure is final.
func (c *Client) UpdatePipe(ctx context.Context, organizationID, serviceID, pipeID string, body PipeUpdate, rework func(context.Context) (*PipeUpdate, *Pipe, error)) (*Pipe, error) {
	const operation = "update pipe"
	if err := checkPipe(operation, organizationID, serviceID, pipeID); err != nil {
		return nil, err
	}
	encoded, err := encode(body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", operation, err)
	}
	key := pipeKey(organizationID, serviceID, pipeID)
	c.pipes.forget(key)
	defer c.pipes.forget(key)
	var pipe *Pipe
	r := &request{
		operation: operation,
		subject:   pipeSubject(organizationID, serviceID, pipeID),
		api:       c.management,
		method:    http.MethodPatch,
		path:      pipePath(organizationID, serviceID, pipeID),
		body:      encoded,
		accept:    acceptInto(&pipe, "result"),
		named:     true,
		once:      body.changesMappings(),
	}
	if rework != nil {
		r.rework = func(ctx context.Context) (bool, error) {
			c.pipes.forget(key)
			next, current, err := rework(ctx)
			if err != nil || next == nil {
				pipe = current
				return false, err
			}
			r.once = next.changesMappings()
			r.body, err = encode(next)
			return true, err
		}
	}
	err = c.do(ctx, r)
	if err != nil {
		return nil, err
	}
	return pipe, nil
}

// changesMappings says that a body adds or removes table mappings.
func (u *PipeUpdate) changesMappings() bool {
	if u.Source == nil || u.Source.Postgres == nil {
		return false
	}
	p := u.Source.Postgres
	return len(p.TableMappingsToAdd) > 0 || len(p.TableMappingsToRemove) > 0
}

func checkPipe(operation, organizationID, serviceID, pipeID string) error {
	return checkIDs(operation, id{"organization id", organizationID}, id{"service id", serviceID}, id{"pipe id", pipeID})
}

func pipePath(organizationID, serviceID, pipeID string) []string {
	return []string{"v1", "organizations", organizationID, "services", serviceID, "pipes", pipeID}
}

func pipeKey(organizationID, serviceID, pipeID string) string {
	return strings.ToLower(organizationID + "/" + serviceID + "/" + pipeID)
}

func pipeSubject(organizationID, serviceID, pipeID string) string {
	return fmt.Sprintf("pipe %s of service %s in organization %s", pipeID, serviceID, organizationID)
}
