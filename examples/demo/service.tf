import {
  to = dataplatform_service_scaling.events
  id = "20000000-0000-4000-8000-000000000001"
}

resource "dataplatform_service_scaling" "events" {
  service_id   = "20000000-0000-4000-8000-000000000001"
  num_replicas = 3
}
