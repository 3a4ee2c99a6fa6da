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

resource "dataplatform_pipe" "orders" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000001"

  source_credentials = {
    kafka = {
      username            = dataplatform_api_key.loader.key_id
      password_wo         = ephemeral.dataplatform_api_key_secret.loader.key_secret
      password_wo_version = dataplatform_api_key.loader.secret_version
    }
  }
}
