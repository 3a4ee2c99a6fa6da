# A key that is valid for 90 days. A plan in the last 14 days replaces it, so
# apply at least every week.
resource "dataplatform_api_key" "loader" {
  name  = "orders-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  ip_access_list = [
    { source = "192.0.2.10", description = "loader" },
    { source = "10.20.0.0/16", description = "office" },
  ]

  # Create the new key first: in the default order, a rejected request would leave
  # no key in the state.
  lifecycle {
    create_before_destroy = true
  }
}

output "loader_key_id" {
  value = dataplatform_api_key.loader.key_id
}

output "loader_key_secret" {
  value     = dataplatform_api_key.loader.key_secret
  sensitive = true
}
