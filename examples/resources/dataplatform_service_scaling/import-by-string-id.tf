import {
  to = dataplatform_service_scaling.events
  id = "20000000-0000-4000-8000-000000000001"
}
