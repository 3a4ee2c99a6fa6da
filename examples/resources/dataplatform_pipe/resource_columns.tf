resource "dataplatform_pipe" "clickstream" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000002"

  destination = {
    columns = [
      { name = "visitor", type = "String" },
      { name = "clicked_at", type = "DateTime64(3)" },
    ]
  }

  field_mappings = [
    { source_field = "visitor", destination_field = "visitor" },
    { source_field = "ts", destination_field = "clicked_at" },
  ]
}
