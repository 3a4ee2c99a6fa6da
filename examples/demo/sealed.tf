ephemeral "dataplatform_api_key_secret" "loader" {
  encrypted_key_secret = dataplatform_api_key.loader.encrypted_key_secret
  identity             = file("key")
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
