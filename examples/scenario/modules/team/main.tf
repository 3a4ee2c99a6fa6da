locals {
  # Everything that differs between the environments.
  size = {
    staging = {
      num_replicas         = 2 # minimum for the first service of a warehouse
      idle_timeout_minutes = 5
      insert_wait_ms       = 10000
    }

    production = {
      num_replicas         = 3
      idle_timeout_minutes = 60
      insert_wait_ms       = 2000
    }
  }[var.environment]
}

resource "dataplatform_service_scaling" "this" {
  for_each = var.services

  service_id           = each.value.id
  num_replicas         = var.import_only ? null : coalesce(each.value.num_replicas, local.size.num_replicas)
  idle_scaling         = var.import_only ? null : !each.value.always_on
  idle_timeout_minutes = var.import_only ? null : local.size.idle_timeout_minutes
}

resource "dataplatform_api_key" "this" {
  for_each = var.applications

  name  = "${var.team}-${var.environment}-${each.key}"
  roles = each.value.roles

  # A plan in the last 14 days replaces the key. Both are valid until the old one
  # expires, so the application has time to move.
  validity_hours      = var.key_validity_days * 24
  early_renewal_hours = 14 * 24

  rotation_triggers = {
    generation = each.value.generation
  }

  # Null and not []: the API does not document what an empty list allows.
  ip_access_list = length(each.value.addresses) == 0 ? null : [
    for source, description in each.value.addresses : { source = source, description = description }
  ]

  lifecycle {
    create_before_destroy = true
  }
}

resource "dataplatform_pipe" "this" {
  for_each = var.pipes

  service_id = var.services[each.value.service].id
  pipe_id    = each.value.id

  # Write-only: the password is in no plan and no state.
  source_credentials = var.import_only ? null : {
    (each.value.kind) = {
      username            = each.value.username
      password_wo         = lookup(var.passwords, each.key, null)
      password_wo_version = each.value.password_version
    }
  }

  settings = var.import_only ? null : {
    streaming_max_insert_wait_ms = local.size.insert_wait_ms
  }
}
