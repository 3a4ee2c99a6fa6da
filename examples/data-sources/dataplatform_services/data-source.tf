data "dataplatform_services" "all" {}

output "service_ids" {
  value = { for s in data.dataplatform_services.all.services : s.name => s.id }
}

# Only the services with a tag.
data "dataplatform_services" "production" {
  filter = ["tag:env=production"]
}

output "production_hosts" {
  value = { for s in data.dataplatform_services.production.services : s.name => s.endpoints[*].host }
}
