data "dataplatform_services" "all" {}

# Only the services with a tag.
data "dataplatform_services" "production" {
  filter = ["tag:env=production"]
}

# The id of one service, by its name.
output "ledger_id" {
  value = { for s in data.dataplatform_services.all.services : s.name => s.id }["ledger-us"]
}

output "production_hosts" {
  value = { for s in data.dataplatform_services.production.services : s.name => s.endpoints[*].host }
}
