data "dataplatform_alert" "ingest_lag" {
  id = "6650c0ffee00000000000001"
}

# A run that only warns while the alert fires.
check "ingest_lag" {
  assert {
    condition     = data.dataplatform_alert.ingest_lag.state != "ALERT"
    error_message = "${data.dataplatform_alert.ingest_lag.name}: ${data.dataplatform_alert.ingest_lag.message}"
  }
}
