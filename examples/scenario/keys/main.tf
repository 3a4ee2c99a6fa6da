# API keys, and what stores their secrets. A schedule applies this without an approval, so
# nothing else belongs here.

# URL and credentials come from DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID and
# DATAPLATFORM_KEY_SECRET.
provider "dataplatform" {
  organization_id = var.organization_id
}

locals {
  # How long an application has to switch to its new key.
  overlap_days = 14
}

resource "dataplatform_api_key" "this" {
  for_each = var.applications

  name  = "${var.team}-${var.environment}-${each.key}"
  roles = each.value.roles

  # An apply key_rotation_days after the key's creation, or later, replaces the key.
  validity_hours      = (var.key_rotation_days + local.overlap_days) * 24
  early_renewal_hours = local.overlap_days * 24

  # The state has the secret only encrypted.
  secret_recipients = compact(split("\n", file("environments/${var.environment}.pub")))

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

output "keys" {
  description = "IDs and encrypted secrets, for applications that do not read the store."
  value = { for name, key in dataplatform_api_key.this : name => {
    key_id               = key.key_id
    encrypted_key_secret = key.encrypted_key_secret
    expire_at            = key.expire_at
  } }
  sensitive = true
}
