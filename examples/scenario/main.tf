# URL and credentials come from DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID and
# DATAPLATFORM_KEY_SECRET.
provider "dataplatform" {
  organization_id = var.organization_id
}

module "team" {
  source = "./modules/team"

  team        = var.team
  environment = var.environment
  import_only = var.import_only

  services          = var.services
  applications      = var.applications
  key_rotation_days = var.key_rotation_days
  pipes             = var.pipes

  secret_recipients = compact(split("\n", file("environments/${var.environment}.pub")))

  # Without decrypts, a pipe that authenticates with an API key has the secret in source_secrets.
  source_secrets = merge(var.source_secrets, {
    for name, secret in ephemeral.dataplatform_api_key_secret.of_pipe : name => secret.key_secret
  })
}

# for_each accepts no ephemeral value such as the identity, so a plain variable decides. In the
# module, it would keep the tests from mocking the provider.
ephemeral "dataplatform_api_key_secret" "of_pipe" {
  for_each = { for name, pipe in var.pipes : name => pipe.kafka.application if var.decrypts && try(pipe.kafka.application, null) != null }

  encrypted_key_secret = module.team.encrypted_key_secrets[each.value]
  identity             = var.age_identity
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
