resource "dataplatform_api_key" "loader" {
  name  = "sensor-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  lifecycle {
    create_before_destroy = true
  }
}
