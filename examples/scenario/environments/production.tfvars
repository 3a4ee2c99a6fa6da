organization_id = "10000000-0000-4000-8000-000000000001"

environment = "production"

services = {
  events  = { id = "20000000-0000-4000-8000-000000000001", num_replicas = 6, always_on = true }
  readers = { id = "20000000-0000-4000-8000-000000000002" }
}

pipes = {
  orders = {
    service = "events"
    id      = "40000000-0000-4000-8000-000000000001"
  }

  customers = {
    service  = "events"
    id       = "40000000-0000-4000-8000-000000000004"
    postgres = { username = "crm-replication" }
  }
}
