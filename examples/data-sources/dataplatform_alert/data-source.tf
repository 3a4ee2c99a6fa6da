data "dataplatform_alert" "ingest_lag" {
  id = "6650c0ffee00000000000001"
}

# Needs Terraform 1.5 or OpenTofu 1.6. A run that only warns while the alert
# fires. The values of state are the platform's own: look at yours first.
check "ingest_lag" {
  assert {
    condition     = data.dataplatform_alert.ingest_lag.state != "ALERT"
    error_message = "${data.dataplatform_alert.ingest_lag.name}: ${data.dataplatform_alert.ingest_lag.message}"
  }
}
