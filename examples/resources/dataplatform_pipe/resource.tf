resource "dataplatform_pipe" "orders" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000001"

  settings = {
    streaming_max_insert_wait_ms = 2000
  }
}
