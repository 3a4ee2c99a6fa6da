terraform {
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

import {
  to = dataplatform_service_scaling.events
  id = "20000000-0000-4000-8000-000000000001"
}

resource "dataplatform_service_scaling" "events" {
  service_id   = "20000000-0000-4000-8000-000000000001"
  num_replicas = 4
}
