import {
  to = dataplatform_pipe.customers
  id = "20000000-0000-4000-8000-000000000001/40000000-0000-4000-8000-000000000004"
}

locals {
  tables = [
    { schema = "public", table = "customers", target = "customers", excluded = ["password_hash", "phone"] },
    { schema = "public", table = "addresses", target = "addresses", excluded = [] },
    { schema = "sales", table = "leads", target = "sales_leads", excluded = ["notes"] },
    { schema = "shop.eu", table = "orders", target = "eu_orders", excluded = ["card_number"] },
  ]
}

resource "dataplatform_pipe" "customers" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000004"

  source = {
    postgres = {
      table_mappings = {
        for t in local.tables :
        provider::dataplatform::table_mapping_key(t.schema, t.table, t.target) => { excluded_columns = t.excluded }
      }
    }
  }
}
