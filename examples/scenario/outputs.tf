output "keys" {
  description = "ID and expiry of each application's API key."
  value       = module.team.keys
}

output "encrypted_key_secrets" {
  description = "Secret of each application's API key, encrypted. Sensitive, so that no run prints it."
  value       = module.team.encrypted_key_secrets
  sensitive   = true
}
