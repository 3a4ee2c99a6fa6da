variable "reporting_release" {
  type    = string
  default = "2025.3"
}

resource "dataplatform_api_key" "reporting" {
  name  = "reporting"
  roles = ["query_endpoints"]

  validity_hours      = 30 * 24
  early_renewal_hours = 7 * 24

  rotation_triggers = {
    release = var.reporting_release
  }

  lifecycle {
    create_before_destroy = true
  }
}
