resource "dataplatform_api_key" "loader" {
  name  = "orders-loader"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  lifecycle {
    create_before_destroy = true
  }
}

# Requires Terraform 1.4 or OpenTofu 1.6, or later.
resource "terraform_data" "loader" {
  triggers_replace = dataplatform_api_key.loader.secret_version

  provisioner "local-exec" {
    command     = "printf %s \"$SECRET\" > loader.secret"
    environment = { SECRET = dataplatform_api_key.loader.key_secret }
  }
}
