output "services" {
  description = "Replicas of each service and the memory of one, in GB."
  value = {
    for name, service in dataplatform_service_scaling.this : name => {
      num_replicas      = service.num_replicas
      replica_memory_gb = [service.min_replica_memory_gb, service.max_replica_memory_gb]
    }
  }
}

output "pipes" {
  description = "State of each pipe."
  value       = { for name, pipe in dataplatform_pipe.this : name => pipe.state }
}

output "keys" {
  description = "ID and expiry of each application's API key."
  value = {
    for name, key in dataplatform_api_key.this : name => {
      key_id    = key.key_id
      expire_at = key.expire_at
    }
  }
}

output "encrypted_key_secrets" {
  description = "Secret of each application's API key, encrypted. Sensitive, so that no run prints it."
  value       = { for name, key in dataplatform_api_key.this : name => key.encrypted_key_secret }
  sensitive   = true
}
