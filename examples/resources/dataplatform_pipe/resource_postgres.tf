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
        "public.addresses:addresses"    = { excluded_columns = [] }
        "sales.leads:sales_leads"       = { excluded_columns = ["notes"] }
        "sales.invoices:sales_invoices" = { excluded_columns = ["iban"] }

        "public.customers:customers" = {
          excluded_columns       = ["password_hash", "phone"]
          use_custom_sorting_key = true
          sorting_keys           = ["country", "id"]
        }
      }
    }
  }
}
