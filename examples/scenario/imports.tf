# Services and pipes exist already. With an import block, the plan shows old and new
# values. Delete this file once all environments have applied it: a module that later
# renames a resource would end every plan with an error about a block that is left.

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
