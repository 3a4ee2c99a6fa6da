locals {
  tables = {
    for t in csvdecode(file("${path.module}/tables.csv")) : "${t.schema}.${t.table}:${t.target}" => {
      excluded_columns       = compact([for name in split(",", replace(t.excluded, ";", ",")) : trim(name, " \"")])
      use_custom_sorting_key = trimspace(t.sorting) != ""
      sorting_keys           = compact([for name in split(",", replace(t.sorting, ";", ",")) : trim(name, " \"")])
    }
  }
}

import {
  to = dataplatform_pipe.customers
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000004"
}

resource "dataplatform_pipe" "customers" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000004"

  source = { postgres = { table_mappings = local.tables } }

  lifecycle {
    ignore_changes = [source.postgres.table_mappings["sales.leads:sales_leads"]]
  }
}
