terraform {
  required_providers {
    dataplatform = {
      source = "dataplatform/dataplatform"
    }
  }
}

# Addresses and credentials come from the environment, where they differ from
# one place to the next and where a secret does not end up in a file:
#
#   DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID, DATAPLATFORM_KEY_SECRET
#   DATAPLATFORM_ALERTS_BASE_URL, DATAPLATFORM_ALERTS_ACCESS_TOKEN
provider "dataplatform" {
  organization_id = "10000000-0000-4000-8000-000000000001"
}
