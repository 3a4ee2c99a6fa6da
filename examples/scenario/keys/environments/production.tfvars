organization_id = "10000000-0000-4000-8000-000000000001"

team        = "ingest"
environment = "production"

applications = {
  loader = {
    roles     = ["developer"]
    addresses = { "192.0.2.10" = "loader", "198.51.100.0/24" = "office" }
  }

  dashboards = {
    roles = ["query_endpoints"]
  }
}
