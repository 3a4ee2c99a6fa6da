resource "dataplatform_api_key" "loader" {
  name  = "sensor-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  rotation_triggers = {
    reason = "first key"
  }

  lifecycle {
    create_before_destroy = true
  }
}
