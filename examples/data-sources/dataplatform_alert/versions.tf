terraform {
  required_version = ">= 1.5"

  required_providers {
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = "~> 0.1.0"
    }
  }
}
