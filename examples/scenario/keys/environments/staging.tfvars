organization_id = "10000000-0000-4000-8000-000000000001"

team        = "ingest"
environment = "staging"

applications = {
  loader     = { roles = ["developer"] }
  dashboards = { roles = ["query_endpoints"] }
}
