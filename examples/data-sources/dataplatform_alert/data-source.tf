data "dataplatform_alert" "ingest_lag" {
  id = "6650c0ffee00000000000001"
}

check "ingest_lag" {
  assert {
    condition     = data.dataplatform_alert.ingest_lag.state == "OK"
    error_message = "The alert is ${data.dataplatform_alert.ingest_lag.state}."
  }
}
