organization_id = "10000000-0000-4000-8000-000000000001"

team        = "ingest"
environment = "staging"

services = {
  ledger = { id = "20000000-0000-4000-8000-000000000003" }
}

applications = {
  loader     = { roles = ["developer"] }
  dashboards = { roles = ["query_endpoints"] }
}
