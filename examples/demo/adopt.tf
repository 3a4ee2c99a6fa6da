resource "dataplatform_service_scaling" "ledger" {
  service_id           = "20000000-0000-4000-8000-000000000003"
  num_replicas         = 3
  idle_scaling         = true
  idle_timeout_minutes = 30
}
