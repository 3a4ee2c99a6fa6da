organization_id = "10000000-0000-4000-8000-000000000001"

environment = "staging"

services = {
  ledger = { id = "20000000-0000-4000-8000-000000000003" }
}
