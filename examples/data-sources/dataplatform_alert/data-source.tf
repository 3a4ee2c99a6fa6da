data "dataplatform_alert" "ingest_lag" {
  id = "6650c0ffee00000000000001"
}

# Needs Terraform 1.5 or OpenTofu 1.6. Warns while the alert fires, and does not
# fail the run. The values of state are not documented: check which ones the API returns.
check "ingest_lag" {
  assert {
    condition     = data.dataplatform_alert.ingest_lag.state != "ALERT"
    error_message = "${data.dataplatform_alert.ingest_lag.name}: ${data.dataplatform_alert.ingest_lag.message}"
  }
}
