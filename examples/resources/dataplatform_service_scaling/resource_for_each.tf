# The same settings for every service with a tag.
data "dataplatform_services" "production" {
  filter = ["tag:env=production"]
}

resource "dataplatform_service_scaling" "production" {
  for_each = { for s in data.dataplatform_services.production.services : s.name => s.id }

  service_id           = each.value
  idle_scaling         = true
  idle_timeout_minutes = 60
}
