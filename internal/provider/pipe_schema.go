package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// pipeResourceSchema is the schema of dataplatform_pipe, at the places where
// the API document has its fields. The data source's is made from it.
func pipeResourceSchema() schema.Schema {
	attributes := pipeAttributes()
	attributes["organization_id"] = organizationIDAttribute("pipe")
	attributes["service_id"] = requiredID("service that owns the pipe")
	attributes["pipe_id"] = requiredID("pipe")
	attributes[credentialsName] = pipeCredentialsAttribute()
	source := attributes["source"].(schema.SingleNestedAttribute)
	source.Attributes["validate_samples"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Whether the platform validates samples of the source when the source changes. Sent with a change of the source, and never a change by itself. Left out, it isn't sent.",
	}
	return schema.Schema{
		MarkdownDescription: "Configures one existing data-ingestion pipe, which it adopts, as far as the platform lets it be changed. " +
			"It neither makes nor deletes a pipe: one that doesn't exist is an error, and destroying the resource leaves the pipe as it is.\n\n" +
			"What the configuration sets is managed, and put right where it drifts; what it leaves out is left alone.",
		Attributes: attributes,
	}
}

// pipeAttributes are the fields that the platform tells of a pipe.
func pipeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name":  settableString("Name of the pipe."),
		"state": computedString("State of the pipe, as the platform calls it."),
		"scaling": computedObject("Size of the pipe.", map[string]schema.Attribute{
			"replicas":               computedNumber("Number of replicas."),
			"concurrency":            computedNumber("Parallel work of each replica."),
			"replica_cpu_millicores": computedNumber("CPU of each replica, in thousandths of a core."),
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
			"table_definition": computedObject("How the destination table was made.", map[string]schema.Attribute{
				"engine": computedObject("Columns that the engine of the table uses.", map[string]schema.Attribute{
					"version_column_id": computedString("Column that holds the version of a row."),
					"column_ids":        computedStrings("Columns of the engine."),
				}),
				"sorting_key":  computedStrings("Columns of the sorting key, in order."),
				"partition_by": computedString("Expression that the table is partitioned by."),
				"primary_key":  computedString("Primary key of the table."),
			}),
			"columns": settableObjects("Columns of the destination table, in order."+wholeSent, map[string]schema.Attribute{
				"name": requiredString("Name of the column."),
				"type": requiredString("Type of the column."),
			}),
		}),
		"field_mappings": settableObjects("Which field of the source goes to which column of the destination."+wholeSent, map[string]schema.Attribute{
			"source_field":      requiredString("Field of the source."),
			"destination_field": requiredString("Column of the destination."),
		}),
		"settings": settableObject("Advanced settings of the pipe.", map[string]schema.Attribute{
			"streaming_max_insert_wait_ms":              settableNumber("Longest time a streaming insert waits, in milliseconds; a whole number.", whole()),
			"object_storage_concurrency":                settableNumber("How many objects are read at the same time; a whole number.", whole()),
			"object_storage_polling_interval_ms":        settableNumber("Time between two looks for new objects, in milliseconds; a whole number.", whole()),
			"object_storage_max_insert_bytes":           settableNumber("Most bytes in one insert from object storage; a whole number.", whole()),
			"object_storage_max_file_count":             settableNumber("Most files in one insert from object storage; a whole number.", whole()),
			"engine_max_threads":                        settableNumber("Most threads of a query in the database engine; a whole number.", whole()),
			"engine_max_insert_threads":                 settableNumber("Most threads of an insert in the database engine; a whole number.", whole()),
			"engine_min_insert_block_size_bytes":        settableNumber("Least size of a block that is inserted, in bytes; a whole number.", whole()),
			"engine_max_download_threads":               settableNumber("Most threads of a download in the database engine; a whole number.", whole()),
			"engine_parallel_distributed_insert_select": settableNumber("How the database engine distributes an `INSERT ... SELECT`."),
			"object_storage_use_cluster_function":       settableBool("Whether object storage is read through the cluster function."),
			"engine_parallel_view_processing":           settableBool("Whether the database engine feeds attached views in parallel."),
		}),
		"created_at": computedString("When the pipe was made, as the platform spells it."),
		"updated_at": computedString("When the pipe was last changed, as the platform spells it."),
	}
}

func kafkaAttribute() schema.Attribute {
	return settableObject("Kafka source.", map[string]schema.Attribute{
		"brokers":        computedString("Addresses of the brokers."),
		"topics":         computedString("Topics that are read."),
		"consumer_group": computedString("Consumer group."),
		"iam_role":       settableString("Identifier of the role that the source is read with."),
		"offset": computedObject("Where reading starts.", map[string]schema.Attribute{
			"timestamp": computedString("Time of the first message, in the form `YYYY-MM-DDThh:mm`."),
		}),
		"schema_registry": computedObject("Schema registry of the source.", map[string]schema.Attribute{
			"url":            computedString("Address of the registry."),
			"ca_certificate": computedString("Certificate of the authority that the registry's certificate is checked against."),
		}),
		"ca_certificate":               settableString("Certificate of the authority that the brokers' certificates are checked against." + trimEnd),
		"reverse_private_endpoint_ids": settableStringSet("Reverse private endpoints that the brokers are reached through." + wholeSent),
	})
}

func objectStorageAttribute() schema.Attribute {
	return settableObject("Object storage source.", map[string]schema.Attribute{
		"url":                  computedString("Address of the objects; may contain wildcard patterns."),
		"delimiter":            computedString("Delimiter of the objects' content."),
		"compression":          computedString("Compression of the objects, such as `auto`."),
		"is_continuous":        computedBool("Whether new objects are read as they come."),
		"queue_url":            computedString("Address of the notification queue that tells of new objects."),
		"iam_role":             settableString("Identifier of the role that the source is read with."),
		"path":                 settableString("Path of the objects; may contain wildcard patterns."),
		"azure_container_name": settableString("Container of the objects."),
	})
}

func cloudStreamAttribute() schema.Attribute {
	return settableObject("Managed-stream source.", map[string]schema.Attribute{
		"stream_name":          computedString("Name of the stream."),
		"region":               computedString("Region of the stream."),
		"use_enhanced_fan_out": computedBool("Whether the stream is read with enhanced fan-out."),
		"timestamp":            computedNumber("Where reading starts, in seconds since 1970-01-01T00:00:00Z."),
		"iam_role":             settableString("Identifier of the role that the source is read with."),
	})
}

func postgresAttribute() schema.Attribute {
	return settableObject("Postgres source.", map[string]schema.Attribute{
		"host":     settableString("Host of the Postgres server."),
		"port":     settableNumber("Port of the Postgres server, 1 to 65535.", whole().atLeast(1).atMost(65535)),
		"database": settableString("Database that is read."),
		"settings": settableObject("Settings of the replication.", map[string]schema.Attribute{
			"sync_interval_seconds":              settableNumber("Time between two synchronizations, in seconds; a whole number.", whole()),
			"pull_batch_size":                    settableNumber("How many rows are pulled at a time; a whole number.", whole()),
			"publication_name":                   computedString("Publication that is read."),
			"replication_slot_name":              computedString("Replication slot that is read."),
			"allow_nullable_columns":             computedBool("Whether columns may be null."),
			"initial_load_parallelism":           computedNumber("How many threads make the initial load."),
			"snapshot_num_rows_per_partition":    computedNumber("Rows in one partition of the snapshot."),
			"snapshot_number_of_parallel_tables": computedNumber("How many tables are copied at the same time."),
			"enable_failover_slots":              computedBool("Whether the replication slot survives a failover."),
		}),
		"table_mappings": tableMappingsAttribute(),
	})
}

func tableMappingsAttribute() schema.Attribute {
	return schema.SetNestedAttribute{
		Optional: true, Computed: true,
		MarkdownDescription: "Which table of the source goes to which table of the destination." + wholeSet +
			" Mappings that are missing on the platform are added, and those that are not in the set removed. " +
			"A mapping can't be changed in place: it is removed and then added, which may copy its table once more." + leftAlone,
		Validators: []validator.Set{noNullsInSet},
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"source_schema_name": requiredString("Schema of the source table."),
			"source_table":       requiredString("Source table."),
			"target_table":       requiredString("Table of the destination."),
			"excluded_columns": schema.SetAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Columns that are not copied." + mappingMemberLeftOut + " `[]` for a new one.",
				Validators:          []validator.Set{noNullsInSet},
			},
			"use_custom_sorting_key": schema.BoolAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Whether the table is sorted by `sorting_keys`." + mappingMemberLeftOut + " `false` for a new one.",
			},
			"sorting_keys": schema.ListAttribute{
				Optional: true, Computed: true, ElementType: types.StringType,
				MarkdownDescription: "Columns that the table is sorted by, in order." + mappingMemberLeftOut + " `[]` for a new one.",
				Validators:          []validator.List{noNullsInList},
			},
		}},
	}
}

const wholeSet = " The set is all that is wanted."

const mappingMemberLeftOut = " Left out, it is what the mapping has now, and"

func pipeCredentialsAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What a source accepts and never gives back, by its kind. " +
			"Secrets are write-only: they stand in no plan and no state, and need Terraform 1.11 or OpenTofu 1.11. " +
			"They are sent when the pipe is adopted, when their version changes, and with every other change of their kind of source. Left out, none are sent.",
		Attributes: map[string]schema.Attribute{
			"kafka": credentialsObject("Kafka source", map[string]schema.Attribute{
				"username": userName("password_wo"),
			}, "password_wo", "Password of the user."),
			"postgres": credentialsObject("Postgres source", map[string]schema.Attribute{
				"username": userName("password_wo"),
			}, "password_wo", "Password of the user."),
			"cloud_stream": credentialsObject("managed-stream source", map[string]schema.Attribute{
				"access_key_id": accessKeyID(),
			}, "secret_key_wo", "Secret of the access key."),
			"object_storage": credentialsObject("object storage source", map[string]schema.Attribute{
				"access_key_id":                accessKeyID(),
				"connection_string_wo":         writeOnly("Connection string of a blob storage.", "connection_string_wo"),
				"connection_string_wo_version": writeOnlyVersion("connection_string_wo"),
			}, "secret_key_wo", "Secret of the access key."),
		},
	}
}

func credentialsObject(of string, attributes map[string]schema.Attribute, secret, description string) schema.Attribute {
	attributes[secret] = writeOnly(description, secret)
	attributes[secret+"_version"] = writeOnlyVersion(secret)
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "Credentials for the " + of + ". Left out, none are sent.",
		Attributes:          attributes,
	}
}

func userName(secret string) schema.Attribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Name of the user. A change counts as a new version of `" + secret + "`. Left out, the secret alone is sent.",
	}
}

func accessKeyID() schema.Attribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Id of the access key. A change counts as a new version of `secret_key_wo`. Left out, the secret alone is sent.",
	}
}

// writeOnly is a secret that Terraform keeps out of plan and state. Its
// version has to stand beside it: nothing else tells when it has changed.
func writeOnly(description, name string) schema.Attribute {
	return schema.StringAttribute{
		Optional: true, WriteOnly: true, Sensitive: true,
		MarkdownDescription: description + " Write-only; needs `" + name + "_version`. Runs that don't change the version may leave it out.",
		Validators: []validator.String{
			stringvalidator.AlsoRequires(path.MatchRelative().AtParent().AtName(name + "_version")),
		},
	}
}

func writeOnlyVersion(name string) schema.Attribute {
	return schema.NumberAttribute{
		Optional:            true,
		MarkdownDescription: "Version of `" + name + "`: change it to send the value again. Any whole number; required with `" + name + "`.",
		Validators:          []validator.Number{whole()},
	}
}
