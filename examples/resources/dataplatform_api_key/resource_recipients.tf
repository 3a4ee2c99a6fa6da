resource "dataplatform_api_key" "batch" {
  name  = "orders-batch"
  roles = ["developer"]

  validity_hours      = 90 * 24
  early_renewal_hours = 14 * 24

  secret_recipients = [file("key.pub")]

  lifecycle {
    create_before_destroy = true
  }
}

output "encrypted_key_secret" {
  value     = dataplatform_api_key.batch.encrypted_key_secret
  sensitive = true
}
