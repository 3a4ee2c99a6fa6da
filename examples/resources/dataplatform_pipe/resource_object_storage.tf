resource "dataplatform_pipe" "clickstream" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000002"

  source = {
    object_storage = {
      iam_role = "role:clickstream-reader"
      path     = "2026/**/*.csv.gz"
    }
  }

  destination = {
    columns = [
      { name = "visitor", type = "String" },
      { name = "page", type = "String" },
      { name = "clicked_at", type = "DateTime64(3)" },
    ]
  }

  field_mappings = [
    { source_field = "visitor", destination_field = "visitor" },
    { source_field = "page", destination_field = "page" },
    { source_field = "ts", destination_field = "clicked_at" },
  ]

  settings = {
    object_storage_polling_interval_ms = 60000
    engine_parallel_view_processing    = true
  }
}
