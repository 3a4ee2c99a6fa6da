import {
  to = dataplatform_pipe.orders
  identity = {
    organization_id = "10000000-0000-4000-8000-000000000001"
    service_id      = "20000000-0000-4000-8000-000000000001"
    pipe_id         = "40000000-0000-4000-8000-000000000001"
  }
}
