output "services" {
  description = "Scaling of each service."
  value       = module.team.services
}

output "pipes" {
  description = "State of each pipe."
  value       = module.team.pipes
}

output "keys" {
  description = "ID and expiry of each application's API key."
  value       = module.team.keys
}

output "key_secrets" {
  description = "Secret of each application's API key."
  value       = module.team.key_secrets
  sensitive   = true
}
