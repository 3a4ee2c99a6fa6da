# Where the applications read their keys: AWS Secrets Manager. For another store, replace
# the two resources.

variable "age_identity" {
  description = "Private key that decrypts the secrets of the API keys. Required in a run that decrypts."
  type        = string
  default     = null
  sensitive   = true
  ephemeral   = true
}

variable "decrypts" {
  description = "Whether the run decrypts the secrets. A plan of a pull request must not, because its branch could print them."
  type        = bool
  default     = true

  validation {
    condition     = var.decrypts || !terraform.applying
    error_message = "An apply must decrypt the secrets, or it would deliver none."
  }
}

# for_each accepts no ephemeral value such as the identity, so a plain variable decides.
ephemeral "dataplatform_api_key_secret" "this" {
  for_each = var.decrypts ? var.applications : {}

  encrypted_key_secret = dataplatform_api_key.this[each.key].encrypted_key_secret
  identity             = var.age_identity
}

resource "aws_secretsmanager_secret" "this" {
  for_each = var.applications

  name = "${var.team}/${var.environment}/${each.key}"
}

resource "aws_secretsmanager_secret_version" "this" {
  for_each = var.applications

  secret_id = aws_secretsmanager_secret.this[each.key].id

  secret_string_wo = var.decrypts ? jsonencode({
    key_id     = dataplatform_api_key.this[each.key].key_id
    key_secret = ephemeral.dataplatform_api_key_secret.this[each.key].key_secret
  }) : "{}"
  secret_string_wo_version = dataplatform_api_key.this[each.key].secret_version

  # Each secret is a new version. Without this, the old one would be destroyed before the
  # new key is created: if the creation failed, the application would have no secret.
  lifecycle {
    create_before_destroy = true
  }
}
