# Tests of the module, without a platform: a mock takes the place of the provider.

mock_provider "dataplatform" {}

variables {
  environment = "production"

  services = {
    events  = { id = "20000000-0000-4000-8000-000000000001", num_replicas = 6, always_on = true }
    readers = { id = "20000000-0000-4000-8000-000000000002" }
  }

  pipes = {
    orders = {
      service = "events"
      id      = "40000000-0000-4000-8000-000000000001"
      kafka   = { username = "orders-loader" }
    }
  }

  # Terraform 1.11 requires a value although the variable has a default. With a secret,
  # OpenTofu 1.12 fails: its mocks return write-only arguments.
  source_secrets = {}
}

run "import_only_manages_nothing" {
  command = plan

  module {
    source = "./modules/team"
  }

  variables {
    import_only = true
  }

  assert {
    condition     = dataplatform_pipe.this["orders"].source_credentials == null
    error_message = "The import sends credentials."
  }
}

run "production" {
  module {
    source = "./modules/team"
  }

  assert {
    condition     = dataplatform_service_scaling.this["events"].num_replicas == 6 && !dataplatform_service_scaling.this["events"].idle_scaling
    error_message = "The service events does not have its own values."
  }

  assert {
    condition     = dataplatform_service_scaling.this["readers"].num_replicas == 3 && dataplatform_service_scaling.this["readers"].idle_scaling
    error_message = "The service readers does not have the values of the environment."
  }
}
