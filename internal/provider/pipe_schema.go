package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/setvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// pipeResourceSchema is the schema of dataplatform_pipe, nested as the fields of the API document.
func pipeResourceSchema() schema.Schema {
	attributes := pipeAttributes(settable, required)
	attributes["organization_id"] = organizationID("pipe", fromFirstApply)
	attributes["service_id"] = required.string("UUID of the service that owns the pipe."+replaces, uuidText)
	attributes["pipe_id"] = required.string("UUID of the pipe."+replaces, uuidText)
	attributes[credentialsName] = pipeCredentialsAttribute()
	source := attributes["source"].(schema.SingleNestedAttribute)
	source.Attributes["validate_samples"] = optional.bool("Whether the platform validates samples. Sent only with another change to the source.")
	return schema.Schema{
		MarkdownDescription: "Configures one existing data-ingestion pipe. " +
			"It cannot create pipes, and destroying the resource changes nothing on the platform.",
		Attributes: attributes,
	}
}

// pipeAttributes are the fields of a pipe that the API returns. set is the access to what a PATCH accepts, and must
// that to what an element of a list or set cannot do without; in a data source, both are shown.
func pipeAttributes(set, must access) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name":  set.string("Name of the pipe."),
		"state": computed.string("State of the pipe."),
		"scaling": computed.object("Size of the pipe.", map[string]schema.Attribute{
			"replicas":               computed.number("Number of replicas."),
			"concurrency":            computed.number("Concurrency of each replica."),
			"replica_cpu_millicores": computed.number("CPU of each replica, in millicores."),
			"replica_memory_gb":      computed.number("Memory of each replica, in GB."),
		}),
		"source": set.object("Where the pipe reads from. Set only the kinds of source that it has.", sourceAttributes(set, must)),
		"destination": set.object("Where the pipe writes to.", map[string]schema.Attribute{
			"database":      computed.string("Database of the destination table."),
			"table":         computed.string("Destination table."),
			"managed_table": computed.bool("Whether the platform manages the destination table."),
			"table_definition": computed.object("Definition of the destination table.", map[string]schema.Attribute{
				"engine": computed.object("Table engine.", map[string]schema.Attribute{
					"version_column_id": computed.string("Column with the version of a row."),
					"column_ids":        computed.stringList("Columns of the engine."),
				}),
				"sorting_key":  computed.stringList("Columns of the sorting key, in order."),
				"partition_by": computed.string("Partitioning expression of the table."),
				"primary_key":  computed.string("Primary key of the table."),
			}),
			"columns": set.objectList("Columns, in order.", map[string]schema.Attribute{
				"name": must.string("Name of the column."),
				"type": must.string("Type of the column."),
			}),
		}),
		"field_mappings": set.objectList("Mappings of source fields to columns.", map[string]schema.Attribute{
			"source_field":      must.string("Field of the source."),
			"destination_field": must.string("Column of the destination."),
		}),
		"settings": set.object("Advanced settings. Numbers must be whole, except `engine_parallel_distributed_insert_select`.", map[string]schema.Attribute{
			"streaming_max_insert_wait_ms": set.number("Maximum wait of a streaming insert, in milliseconds.", integer),

			"object_storage_concurrency":          set.number("Number of files read concurrently.", integer),
			"object_storage_polling_interval_ms":  set.number("Polling interval for new files, in milliseconds.", integer),
			"object_storage_max_insert_bytes":     set.number("Maximum size of one insert, in bytes.", integer),
			"object_storage_max_file_count":       set.number("Maximum number of files in one insert.", integer),
			"object_storage_use_cluster_function": set.bool("Whether to read through the cluster table function."),

			"engine_max_threads":                        set.number("Maximum threads of one query.", integer),
			"engine_max_insert_threads":                 set.number("Maximum threads of one insert.", integer),
			"engine_min_insert_block_size_bytes":        set.number("Minimum size of an inserted block, in bytes.", integer),
			"engine_max_download_threads":               set.number("Maximum threads of one download.", integer),
			"engine_parallel_distributed_insert_select": set.number("How an `INSERT ... SELECT` is distributed.", anyNumber),
			"engine_parallel_view_processing":           set.bool("Whether attached views are processed in parallel."),
		}),
		"created_at": computed.string("Creation time."),
		"updated_at": computed.string("Time of the last change."),
	}
}

func sourceAttributes(set, must access) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"kafka": set.object("Kafka source.", map[string]schema.Attribute{
			"brokers":        computed.string("Addresses of the brokers."),
			"topics":         computed.string("Topics to read."),
			"consumer_group": computed.string("Consumer group."),
			"iam_role":       set.string("Role for reading the source."),
			"offset": computed.object("Position where reading starts.", map[string]schema.Attribute{
				"timestamp": computed.string("Time of the first message, in the form `YYYY-MM-DDThh:mm`."),
			}),
			"schema_registry": computed.object("Schema registry.", map[string]schema.Attribute{
				"url":            computed.string("URL of the registry."),
				"ca_certificate": computed.string("CA certificate for verifying the registry."),
			}),
			"ca_certificate": set.string("CA certificate for verifying the brokers. Trailing whitespace is ignored."),
			"reverse_private_endpoint_ids": set.stringSet("IDs of reverse private endpoints. Sent as a whole; `[]` clears it.",
				nonNullSet),
		}),
		"object_storage": set.object("Object storage source.", map[string]schema.Attribute{
			"url":                  computed.string("URL or pattern of the files."),
			"delimiter":            computed.string("Field delimiter of the files."),
			"compression":          computed.string("Compression of the files, such as `auto`."),
			"is_continuous":        computed.bool("Whether new files are read as they arrive."),
			"queue_url":            computed.string("URL of the queue with notifications of new files."),
			"iam_role":             set.string("Role for reading the source."),
			"path":                 set.string("Path or pattern of the files."),
			"azure_container_name": set.string("Azure container of the files."),
		}),
		"cloud_stream": set.object("Managed-stream source.", map[string]schema.Attribute{
			"stream_name":          computed.string("Name of the stream."),
			"region":               computed.string("Region of the stream."),
			"use_enhanced_fan_out": computed.bool("Whether enhanced fan-out is used."),
			"timestamp":            computed.number("Time where reading starts, in seconds since 1970-01-01T00:00:00Z."),
			"iam_role":             set.string("Role for reading the source."),
		}),
		"postgres": set.object("Postgres source.", map[string]schema.Attribute{
			"host": set.string("Host of the server."),
			"port": set.number("Port, between 1 and 65535.",
				numberCheck{"must be a whole number between 1 and 65535", 1, 65535, 1}),
			"database": set.string("Database to read."),
			"settings": set.object("Replication settings.", map[string]schema.Attribute{
				"sync_interval_seconds": set.number("Time between two synchronizations, in seconds; a whole number.", integer),
				"pull_batch_size":       set.number("Number of rows pulled at a time; a whole number.", integer),

				"publication_name":                   computed.string("Publication to read."),
				"replication_slot_name":              computed.string("Replication slot to read."),
				"allow_nullable_columns":             computed.bool("Whether columns may be null."),
				"initial_load_parallelism":           computed.number("Number of threads of the initial load."),
				"snapshot_num_rows_per_partition":    computed.number("Number of rows per partition of the snapshot."),
				"snapshot_number_of_parallel_tables": computed.number("Number of tables copied concurrently."),
				"enable_failover_slots":              computed.bool("Whether failover slots are enabled."),
			}),
			"table_mappings": set.objectMap("Mappings of tables, by `SCHEMA.TABLE:TARGET`. "+
				"Those that are not in the map are removed.", map[string]schema.Attribute{
				"source_schema_name": set.string("Schema of the source table. Must match the key.", nonEmpty),
				"source_table":       set.string("Source table. Must match the key.", nonEmpty),
				"target_table":       set.string("Destination table. Must match the key.", nonEmpty),

				"excluded_columns": must.stringSet("Columns that are not copied. Use `[]` to exclude none.", nonNullSet,
					setvalidator.ValueStringsAre(nonEmpty)),
				"use_custom_sorting_key": set.bool("Whether the table is sorted by `sorting_keys`. Defaults to `false`."),
				"sorting_keys": set.stringList("Columns to sort by, in order. "+
					"Requires `use_custom_sorting_key = true`. Defaults to `[]`.",
					nonNullList, listvalidator.ValueStringsAre(nonEmpty)),
			}),
		}),
	}
}
