package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// pipeResourceSchema is the schema of dataplatform_pipe, nested as the fields of the API document.
// The data source's schema is derived from it.
func pipeResourceSchema() schema.Schema {
	attributes := pipeAttributes()
	attributes["organization_id"] = organizationIDAttribute("pipe")
	attributes["service_id"] = requiredID("service that owns the pipe")
	attributes["pipe_id"] = requiredID("pipe")
	attributes[credentialsName] = pipeCredentialsAttribute()
	source := attributes["source"].(schema.SingleNestedAttribute)
	source.Attributes["validate_samples"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Whether the platform validates samples when the source changes. Sent only with another change to the source.",
	}
	return schema.Schema{
		MarkdownDescription: "Configures one existing data-ingestion pipe. " +
			"It cannot create pipes, and destroying the resource changes nothing on the platform.",
		Attributes: attributes,
	}
}

// pipeAttributes are the fields of a pipe that the API returns.
func pipeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name":  settableString("Name of the pipe."),
		"state": computedString("State of the pipe."),
		"scaling": computedObject("Size of the pipe.", map[string]schema.Attribute{
			"replicas":               computedNumber("Number of replicas."),
			"concurrency":            computedNumber("Concurrency of each replica."),
			"replica_cpu_millicores": computedNumber("CPU of each replica, in millicores."),
			"replica_memory_gb":      computedNumber("Memory of each replica, in GB."),
		}),
		"source": settableObject("Where the pipe reads from."+kindsStay, map[string]schema.Attribute{
			"kafka":          kafkaAttribute(),
			"object_storage": objectStorageAttribute(),
			"cloud_stream":   cloudStreamAttribute(),
			"postgres":       postgresAttribute(),
		}),
		"destination": settableObject("Where the pipe writes to.", map[string]schema.Attribute{
			"database":      computedString("Database of the destination table."),
			"table":         computedString("Destination table."),
			"managed_table": computedBool("Whether the platform manages the destination table."),
			"table_definition": computedObject("Definition of the destination table.", map[string]schema.Attribute{
				"engine": computedObject("Columns that the table engine uses.", map[string]schema.Attribute{
					"version_column_id": computedString("Column with the version of a row."),
					"column_ids":        computedStrings("Columns of the table engine."),
				}),
				"sorting_key":  computedStrings("Columns of the sorting key, in order."),
				"partition_by": computedString("Partitioning expression of the table."),
				"primary_key":  computedString("Primary key of the table."),
			}),
			"columns": settableObjects("Columns of the destination table, in order."+wholeSent, map[string]schema.Attribute{
				"name": requiredString("Name of the column."),
				"type": requiredString("Type of the column."),
			}),
		}),
		"field_mappings": settableObjects("Mappings of source fields to destination columns."+wholeSent, map[string]schema.Attribute{
			"source_field":      requiredString("Field of the source."),
			"destination_field": requiredString("Column of the destination."),
		}),
		"settings": settableObject("Advanced settings of the pipe."+wholeNumbers, map[string]schema.Attribute{
			"streaming_max_insert_wait_ms":              settableNumber("Maximum time that a streaming insert waits, in milliseconds.", integer),
			"object_storage_concurrency":                settableNumber("Number of files read concurrently.", integer),
			"object_storage_polling_interval_ms":        settableNumber("Polling interval for new files, in milliseconds.", integer),
			"object_storage_max_insert_bytes":           settableNumber("Maximum size of one insert from object storage, in bytes.", integer),
			"object_storage_max_file_count":             settableNumber("Maximum number of files in one insert from object storage.", integer),
			"engine_max_threads":                        settableNumber("Maximum number of threads of one query.", integer),
			"engine_max_insert_threads":                 settableNumber("Maximum number of threads of one insert.", integer),
			"engine_min_insert_block_size_bytes":        settableNumber("Minimum size of an inserted block, in bytes.", integer),
			"engine_max_download_threads":               settableNumber("Maximum number of threads of one download.", integer),
			"engine_parallel_distributed_insert_select": settableNumber("How the database engine distributes an `INSERT ... SELECT`.", anyNumber),
			"object_storage_use_cluster_function":       settableBool("Whether object storage is read through the cluster table function."),
			"engine_parallel_view_processing":           settableBool("Whether attached views are processed in parallel."),
		}),
		"created_at": computedString("Creation time."),
		"updated_at": computedString("Time of the last change."),
	}
}

func kafkaAttribute() schema.Attribute {
	return settableObject("Kafka source.", map[string]schema.Attribute{
		"brokers":        computedString("Addresses of the brokers."),
		"topics":         computedString("Topics to read."),
		"consumer_group": computedString("Consumer group."),
		"iam_role":       settableString("Role for reading the source."),
		"offset": computedObject("Position where reading starts.", map[string]schema.Attribute{
			"timestamp": computedString("Time of the first message, in the form `YYYY-MM-DDThh:mm`."),
		}),
		"schema_registry": computedObject("Schema registry of the source.", map[string]schema.Attribute{
			"url":            computedString("URL of the registry."),
			"ca_certificate": computedString("CA certificate for verifying the registry."),
		}),
		"ca_certificate":               settableString("CA certificate for verifying the brokers." + trimEnd),
		"reverse_private_endpoint_ids": settableStringSet("IDs of the reverse private endpoints to the brokers." + wholeSent),
	})
}

func objectStorageAttribute() schema.Attribute {
	return settableObject("Object storage source.", map[string]schema.Attribute{
		"url":                  computedString("URL of the files; may contain wildcard patterns."),
		"delimiter":            computedString("Field delimiter of the files."),
		"compression":          computedString("Compression of the files, such as `auto`."),
		"is_continuous":        computedBool("Whether new files are read as they arrive."),
		"queue_url":            computedString("URL of the queue with notifications of new files."),
		"iam_role":             settableString("Role for reading the source."),
		"path":                 settableString("Path of the files; may contain wildcard patterns."),
		"azure_container_name": settableString("Azure container of the files."),
	})
}

func cloudStreamAttribute() schema.Attribute {
	return settableObject("Managed-stream source.", map[string]schema.Attribute{
		"stream_name":          computedString("Name of the stream."),
		"region":               computedString("Region of the stream."),
		"use_enhanced_fan_out": computedBool("Whether enhanced fan-out is used."),
		"timestamp":            computedNumber("Time where reading starts, in seconds since 1970-01-01T00:00:00Z."),
		"iam_role":             settableString("Role for reading the source."),
	})
}

func postgresAttribute() schema.Attribute {
	return settableObject("Postgres source.", map[string]schema.Attribute{
		"host":     settableString("Host of the Postgres server."),
		"port":     settableNumber("Port of the Postgres server, between 1 and 65535.", numberCheck{1, 65535, 1}),
		"database": settableString("Database to read."),
		"settings": settableObject("Replication settings.", map[string]schema.Attribute{
			"sync_interval_seconds":              settableNumber("Time between two synchronizations, in seconds"+wholeLimit+".", integer),
			"pull_batch_size":                    settableNumber("Number of rows pulled at a time"+wholeLimit+".", integer),
			"publication_name":                   computedString("Publication to read."),
			"replication_slot_name":              computedString("Replication slot to read."),
			"allow_nullable_columns":             computedBool("Whether columns may be null."),
			"initial_load_parallelism":           computedNumber("Number of threads of the initial load."),
			"snapshot_num_rows_per_partition":    computedNumber("Number of rows per partition of the snapshot."),
			"snapshot_number_of_parallel_tables": computedNumber("Number of tables copied concurrently."),
			"enable_failover_slots":              computedBool("Whether failover slots are enabled."),
		}),
		"table_mappings": tableMappingsAttribute(),
	})
}

func tableMappingsAttribute() schema.Attribute {
	return schema.SetNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Mappings of source tables to destination tables." + wholeSet,
		Validators:          []validator.Set{nonNull},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"source_schema_name": requiredName("Schema of the source table."),
			"source_table":       requiredName("Source table."),
			"target_table":       requiredName("Destination table."),
			"excluded_columns": schema.SetAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Columns that are not copied." + excludesNone,
				Validators:          []validator.Set{allNamed},
			},
			"use_custom_sorting_key": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether the table is sorted by `sorting_keys`." + defaultsTo + "`false`.",
			},
			"sorting_keys": schema.ListAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Columns that the table is sorted by, in order." + defaultsTo + "`[]`.",
				Validators:          []validator.List{allNamed},
			},
		}},
	}
}
