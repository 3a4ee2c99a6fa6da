# A second provider block, for a large organization with a strict rate limit.
provider "dataplatform" {
  alias = "patient"

  organization_id         = "10000000-0000-4000-8000-000000000001"
  max_concurrent_requests = 4
  request_timeout         = "30s" # of one attempt
  retry_timeout           = "15m" # of one operation, with all attempts and waits
}
