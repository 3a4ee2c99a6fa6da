data "dataplatform_service" "ledger" {
  name = "ledger-us"
}

# Month-end reports must not wait for a service to start.
resource "dataplatform_service_scaling" "ledger" {
  service_id   = data.dataplatform_service.ledger.id
  idle_scaling = false
}
