locals {
  services = {
    "20000000-0000-4000-8000-000000000001" = "events-eu"
    "20000000-0000-4000-8000-000000000003" = "ledger-us"
  }
}

resource "dataplatform_service_scaling" "production" {
  for_each = local.services

  service_id           = each.key
  idle_scaling         = true
  idle_timeout_minutes = 60
}
