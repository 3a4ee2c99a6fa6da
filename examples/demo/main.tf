# What `make demo` applies: every resource and every data source of the
# provider, against a fake platform on this machine.

terraform {
  required_providers {
    dataplatform = {
      source = "dataplatform/dataplatform"
    }
  }
}

# Addresses and credentials come from DATAPLATFORM_* in the environment.
provider "dataplatform" {
  organization_id = "10000000-0000-4000-8000-000000000001"
}

variable "replicas" {
  type    = number
  default = 4
}

# What is there.

data "dataplatform_services" "production" {
  filter = ["tag:env=production"]
}

data "dataplatform_pipe" "customers" {
  service_id = local.service_id["events-eu"]
  pipe_id    = "40000000-0000-4000-8000-000000000004"
}

data "dataplatform_alert" "ingest_lag" {
  id = "6650c0ffee00000000000001"
}

locals {
  service_id = { for s in data.dataplatform_services.production.services : s.name => s.id }
}

# What is managed: of a service and a pipe that exist, only what is written here.

resource "dataplatform_service_scaling" "events" {
  service_id           = local.service_id["events-eu"]
  num_replicas         = var.replicas
  idle_timeout_minutes = 30
}

resource "dataplatform_pipe" "sensors" {
  service_id = local.service_id["events-eu"]
  pipe_id    = "40000000-0000-4000-8000-000000000003"

  settings = {
    streaming_max_insert_wait_ms = 2000
  }
}

resource "dataplatform_api_key" "loader" {
  name  = "sensor-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  lifecycle {
    create_before_destroy = true
  }
}

# What a person wants to see.

output "production_services" {
  value = { for s in data.dataplatform_services.production.services : s.name => "${s.endpoints[0].host}:${s.endpoints[0].port}" }
}

output "events_scaling" {
  value = "${dataplatform_service_scaling.events.num_replicas} replicas of ${dataplatform_service_scaling.events.min_replica_memory_gb} to ${dataplatform_service_scaling.events.max_replica_memory_gb} GB"
}

output "sensors_pipe" {
  value = "${dataplatform_pipe.sensors.state}, from ${dataplatform_pipe.sensors.source.cloud_stream.stream_name} into ${dataplatform_pipe.sensors.destination.database}.${dataplatform_pipe.sensors.destination.table}"
}

output "customer_tables" {
  value = sort([for m in data.dataplatform_pipe.customers.source.postgres.table_mappings : "${m.source_schema_name}.${m.source_table} -> ${m.target_table}"])
}

output "ingest_lag_alert" {
  value = "${data.dataplatform_alert.ingest_lag.state} (${data.dataplatform_alert.ingest_lag.threshold_type} ${data.dataplatform_alert.ingest_lag.threshold})"
}

output "loader_key" {
  value = "${dataplatform_api_key.loader.key_id}, expires ${dataplatform_api_key.loader.expire_at}"
}

output "loader_key_secret" {
  value     = dataplatform_api_key.loader.key_secret
  sensitive = true
}
