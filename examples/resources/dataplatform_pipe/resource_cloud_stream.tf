variable "sensor_stream_secret_key" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "dataplatform_pipe" "sensors" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000003"

  source_credentials = {
    cloud_stream = {
      access_key_id         = "sensor-reader"
      secret_key_wo         = var.sensor_stream_secret_key
      secret_key_wo_version = 1 # change it to send a new secret
    }
  }
}
