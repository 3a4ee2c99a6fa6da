terraform {
  # Write-only arguments and the ephemeral resource, which keep the secrets out of
  # the state, need Terraform 1.11 or OpenTofu 1.11.
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
