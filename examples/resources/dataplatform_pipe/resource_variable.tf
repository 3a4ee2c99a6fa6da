variable "tables" {
  type = map(object({
    excluded_columns       = set(string)
    use_custom_sorting_key = optional(bool)
    sorting_keys           = optional(list(string))
  }))
  default = {
    "public.customers:customers" = { excluded_columns = ["password_hash", "phone"] }
  }
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
      table_mappings = var.tables
    }
  }
}
