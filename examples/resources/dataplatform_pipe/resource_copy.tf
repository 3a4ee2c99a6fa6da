data "dataplatform_pipe" "staging" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000005"
}

import {
  to = dataplatform_pipe.customers
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000004"
}

resource "dataplatform_pipe" "customers" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000004"

  source = {
    postgres = {
      table_mappings = merge(data.dataplatform_pipe.staging.source.postgres.table_mappings, {
        "public.invoices:invoices" = { excluded_columns = ["iban"] }
      })
    }
  }
}
