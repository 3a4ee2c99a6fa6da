# URL and credentials come from DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID and
# DATAPLATFORM_KEY_SECRET.
provider "dataplatform" {
  organization_id = var.organization_id
}

module "team" {
  source = "./modules/team"

  environment = var.environment
  import_only = var.import_only

  services = var.services
  pipes    = var.pipes

  source_secrets = { customers = var.customers_password }
}

# Services and pipes exist already. With an import block, the plan shows old and new
# values. Before Terraform 1.16, import blocks are allowed only in the root module.

import {
  for_each = var.services

  to = module.team.dataplatform_service_scaling.this[each.key]
  id = each.value.id
}

import {
  for_each = var.pipes

  to = module.team.dataplatform_pipe.this[each.key]
  id = "${var.services[each.value.service].id}/${each.value.id}"
}
