terraform {
  required_version = ">= 1.11"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 6.0"
    }
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = "~> 0.1.0"
    }
  }
}
