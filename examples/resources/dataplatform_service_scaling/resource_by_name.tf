# A service picked by its name. A name that no service has, or that two have, is
# an error.
data "dataplatform_services" "all" {}

resource "dataplatform_service_scaling" "ledger" {
  service_id = { for s in data.dataplatform_services.all.services : s.name => s.id }["ledger-us"]

  # Month-end reports must not wait for a service to wake up.
  idle_scaling = false
}
