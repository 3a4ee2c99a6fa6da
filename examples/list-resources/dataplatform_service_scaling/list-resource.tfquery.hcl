# List the production services, and generate their configuration:
#
#   terraform query -generate-config-out=services.tf
list "dataplatform_service_scaling" "production" {
  provider         = dataplatform
  include_resource = true
  limit            = 300 # Terraform stops at 100 by default

  config {
    filter = ["tag:env=production"]
  }
}
