import {
  to = dataplatform_pipe.customers
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000004"
}

resource "dataplatform_pipe" "customers" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000004"

  source = {
    postgres = {
      table_mappings = {
        for t in csvdecode(file("${path.module}/tables.csv")) : "${t.schema}.${t.table}:${t.target}" => {
          excluded_columns       = compact(split(" ", t.excluded))
          use_custom_sorting_key = t.sorting != ""
          sorting_keys           = compact(split(" ", t.sorting))
        }
      }
    }
  }

  lifecycle {
    ignore_changes = [source.postgres.table_mappings["sales.leads:sales_leads"]]
  }
}
