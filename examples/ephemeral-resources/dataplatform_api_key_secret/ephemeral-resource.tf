variable "age_identity" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "dataplatform_api_key" "loader" {
  name  = "orders-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  secret_recipients = [file("key.pub")]

  lifecycle {
    create_before_destroy = true
  }
}

ephemeral "dataplatform_api_key_secret" "loader" {
  encrypted_key_secret = dataplatform_api_key.loader.encrypted_key_secret
  identity             = var.age_identity
}

resource "aws_secretsmanager_secret" "loader" {
  name = "orders/loader"
}

resource "aws_secretsmanager_secret_version" "loader" {
  secret_id = aws_secretsmanager_secret.loader.id

  secret_string_wo = jsonencode({
    key_id     = dataplatform_api_key.loader.key_id
    key_secret = ephemeral.dataplatform_api_key_secret.loader.key_secret
  })
  secret_string_wo_version = dataplatform_api_key.loader.secret_version

  # Or the old version would be destroyed before the new key is created.
  lifecycle {
    create_before_destroy = true
  }
}
