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

resource "dataplatform_pipe" "this" {
  for_each = var.pipes

  service_id = var.services[each.value.service].id
  pipe_id    = each.value.id

  # Write-only: the secret is in no plan and no state. Without a kind, no credentials are sent.
  source_credentials = var.import_only || each.value.kafka == null && each.value.postgres == null ? null : {
    kafka = each.value.kafka == null ? null : {
      username            = each.value.kafka.username
      password_wo         = lookup(var.source_secrets, each.key, null)
      password_wo_version = each.value.secret_version
    }

    postgres = each.value.postgres == null ? null : {
      username            = each.value.postgres.username
      password_wo         = lookup(var.source_secrets, each.key, null)
      password_wo_version = each.value.secret_version
    }
  }

  settings = var.import_only ? null : {
    streaming_max_insert_wait_ms = local.size.insert_wait_ms
  }
}
