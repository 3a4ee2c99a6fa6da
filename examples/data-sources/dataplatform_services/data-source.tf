data "dataplatform_services" "all" {}

output "service_names" {
  value = { for s in data.dataplatform_services.all.services : s.id => s.name }
}
