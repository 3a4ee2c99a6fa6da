terraform {
  required_version = ">= 1.8"

  required_providers {
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = "~> 0.1.0"
    }
  }
}
