# A service picked by its name.
data "dataplatform_service" "ledger" {
  name = "ledger-us"
}

resource "dataplatform_service_scaling" "ledger" {
  service_id = data.dataplatform_service.ledger.id

  # Month-end reports must not wait for a service to start.
  idle_scaling = false
}
