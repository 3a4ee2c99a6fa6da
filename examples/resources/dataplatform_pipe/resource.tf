resource "dataplatform_pipe" "orders" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000001"

  name = "orders"

  source = {
    kafka = {
      reverse_private_endpoint_ids = ["rpe-north", "rpe-south"]
    }
  }

  settings = {
    streaming_max_insert_wait_ms = 2000
  }
}
