# URL and credentials come from DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID and
# DATAPLATFORM_KEY_SECRET.
provider "dataplatform" {
  organization_id = var.organization_id
}

module "team" {
  source = "./modules/team"

  team        = var.team
  environment = var.environment
  services    = var.services
  consumers   = var.consumers
  pipes       = var.pipes
  passwords   = var.passwords
}

# Services and pipes exist already. An import block shows in the plan what their
# adoption changes. Before Terraform 1.16, it is allowed only in the root module.

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
