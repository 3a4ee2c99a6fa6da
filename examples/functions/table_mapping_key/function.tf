import {
  to = dataplatform_pipe.customers
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000004"
}

locals {
  tables = [
    { schema = "public", table = "customers", target = "customers", excluded = ["password_hash", "phone"], sort = ["country", "id"] },
    { schema = "public", table = "addresses", target = "addresses", excluded = [], sort = [] },
    { schema = "sales", table = "leads", target = "sales_leads", excluded = ["notes"], sort = [] },
    { schema = "shop.eu", table = "orders", target = "eu_orders", excluded = ["card_number"], sort = [] },
  ]
}

resource "dataplatform_pipe" "customers" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000004"

  source = {
    postgres = {
      table_mappings = {
        for t in local.tables :
        provider::dataplatform::table_mapping_key(t.schema, t.table, t.target) => {
          excluded_columns       = t.excluded
          use_custom_sorting_key = length(t.sort) > 0
          sorting_keys           = t.sort
        }
      }
    }
  }
}
