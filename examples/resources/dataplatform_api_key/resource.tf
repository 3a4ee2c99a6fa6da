resource "dataplatform_api_key" "loader" {
  name  = "orders-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  rotation_triggers = {
    generation = 1
  }

  ip_access_list = [
    { source = "192.0.2.10", description = "loader" },
    { source = "198.51.100.0/24", description = "office" },
  ]

  lifecycle {
    create_before_destroy = true
  }
}

output "loader" {
  value = {
    key_id     = dataplatform_api_key.loader.key_id
    key_secret = dataplatform_api_key.loader.key_secret
  }
  sensitive = true
}
