terraform {
  required_version = ">= 1.11"

  required_providers {
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = ">= 0.1.0"
    }
  }
}
