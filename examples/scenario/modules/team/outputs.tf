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
