list "dataplatform_service_scaling" "all" {
  provider         = dataplatform
  include_resource = true
  limit            = 1000 # Terraform stops at 100 by default
}
