organization_id = "10000000-0000-4000-8000-000000000001"

team        = "ingest"
environment = "production"

services = {
  events  = { id = "20000000-0000-4000-8000-000000000001", num_replicas = 6, always_on = true }
  readers = { id = "20000000-0000-4000-8000-000000000002" }
}

applications = {
  loader = {
    roles     = ["developer"]
    addresses = { "192.0.2.10" = "loader", "198.51.100.0/24" = "office" }
  }

  dashboards = {
    roles = ["query_endpoints"]
  }
}

pipes = {
  orders = {
    service = "events"
    id      = "40000000-0000-4000-8000-000000000001"
    kafka   = { application = "loader" }
  }

  customers = {
    service  = "events"
    id       = "40000000-0000-4000-8000-000000000004"
    postgres = { username = "crm-replication" }
  }
}
