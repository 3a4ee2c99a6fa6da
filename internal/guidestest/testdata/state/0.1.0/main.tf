terraform {
  required_providers {
    dataplatform = { source = "dataplatform/dataplatform" }
  }
}

resource "dataplatform_service_scaling" "events" {
  service_id           = "20000000-0000-4000-8000-000000000001"
  num_replicas         = 3
  idle_scaling         = true
  idle_timeout_minutes = 15
}

resource "dataplatform_api_key" "loader" {
  name              = "loader"
  roles             = ["developer", "query_endpoints"]
  state             = "enabled"
  rotation_triggers = { generation = "1" }

  ip_access_list = [
    { source = "192.0.2.0/24", description = "office" },
    { source = "198.51.100.7" },
  ]

  lifecycle {
    create_before_destroy = true
  }
}

resource "dataplatform_api_key" "reader" {
  name  = "reader"
  roles = ["query_endpoints"]

  validity_hours      = 876000
  early_renewal_hours = 24
  secret_recipients   = ["age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"]

  lifecycle {
    create_before_destroy = true
  }
}

resource "dataplatform_pipe" "orders" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000001"
  name       = "orders"
  settings   = { engine_max_threads = 8 }

  source = {
    kafka            = { iam_role = "role:orders-reader", reverse_private_endpoint_ids = ["rpe-south", "rpe-north"] }
    validate_samples = true
  }
  source_credentials = {
    kafka = { username = "loader", password_wo_version = 1 }
  }
}

resource "dataplatform_pipe" "customers" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000004"

  source = {
    postgres = {
      table_mappings = {
        "public.customers:customers" = { excluded_columns = ["password_hash", "phone"], use_custom_sorting_key = true, sorting_keys = ["country", "id"] }
        "public.addresses:addresses" = { excluded_columns = [] }
        "sales.leads:sales_leads"    = { excluded_columns = ["notes"] }
      }
    }
  }
}
