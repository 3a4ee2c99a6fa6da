terraform {
  required_providers {
    dataplatform = {
      source  = "dataplatform/dataplatform"
      version = "~> 0.1"
    }
  }
}

# URLs and credentials come from the environment:
#
#   DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID, DATAPLATFORM_KEY_SECRET
#   DATAPLATFORM_ALERTS_BASE_URL, DATAPLATFORM_ALERTS_ACCESS_TOKEN
provider "dataplatform" {
  organization_id = "10000000-0000-4000-8000-000000000001"
}
