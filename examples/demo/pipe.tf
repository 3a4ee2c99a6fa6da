import {
  to = dataplatform_pipe.sensors
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000003"
}

resource "dataplatform_pipe" "sensors" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000003"

  settings = {
    streaming_max_insert_wait_ms = 2000
  }
}
