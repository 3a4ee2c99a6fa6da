import {
  to = dataplatform_pipe.customers
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000004"
}

resource "dataplatform_pipe" "customers" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000004"

  source = {
    postgres = {
      settings = {
        sync_interval_seconds = 30
      }

      table_mappings = {
        "public.customers:customers" = { excluded_columns = ["password_hash", "phone"] }
        "public.addresses:addresses" = { excluded_columns = [] }

        "sales.invoices:sales_invoices" = {
          excluded_columns       = []
          use_custom_sorting_key = true
          sorting_keys           = ["customer_id", "issued_at"]
        }
      }
    }
  }
}
