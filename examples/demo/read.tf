# The platform does not document the syntax of filters. This is the one of the fake
# platform: check the result before you rely on your own filter.
data "dataplatform_services" "production" {
  filter = ["tag:env=production"]
}

data "dataplatform_service" "events" {
  name = "events-eu"
}

data "dataplatform_pipe" "customers" {
  service_id = data.dataplatform_service.events.id
  pipe_id    = "40000000-0000-4000-8000-000000000004"
}

data "dataplatform_alert" "ingest_lag" {
  id = "6650c0ffee00000000000001"
}

output "production_services" {
  value = { for s in data.dataplatform_services.production.services : s.name => s.id }
}

output "events_host" {
  value = data.dataplatform_service.events.endpoints[0].host
}

output "customer_tables" {
  value = keys(data.dataplatform_pipe.customers.source.postgres.table_mappings)
}

output "ingest_lag_alert" {
  value = "${data.dataplatform_alert.ingest_lag.state} (${data.dataplatform_alert.ingest_lag.threshold_type} ${data.dataplatform_alert.ingest_lag.threshold})"
}
