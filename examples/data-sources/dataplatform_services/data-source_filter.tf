data "dataplatform_services" "production" {
  filter = ["tag:env=production"]
}

output "production_hosts" {
  value = {
    for s in data.dataplatform_services.production.services : s.id => s.endpoints[*].host
  }
}
