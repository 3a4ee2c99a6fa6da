# What `make demo` applies, chapter by chapter, against a fake platform on this
# machine. URLs and credentials come from DATAPLATFORM_* in the environment.

terraform {
  # For import blocks.
  required_version = ">= 1.5"

  required_providers {
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = "~> 0.1.0"
    }
  }
}

provider "dataplatform" {
  organization_id = "10000000-0000-4000-8000-000000000001"
}
