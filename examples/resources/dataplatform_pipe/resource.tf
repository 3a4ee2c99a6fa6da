# Ephemeral: the password is in no plan and no state.
variable "orders_kafka_password" {
  type      = string
  sensitive = true
  ephemeral = true
}

resource "dataplatform_pipe" "orders" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000001"

  name = "orders"

  source = {
    kafka = {
      reverse_private_endpoint_ids = ["rpe-north", "rpe-south"]
    }
  }

  source_credentials = {
    kafka = {
      username            = "orders-loader"
      password_wo         = var.orders_kafka_password
      password_wo_version = 1 # raise it to send a new password
    }
  }

  settings = {
    streaming_max_insert_wait_ms = 2000
  }
}

output "orders_state" {
  value = dataplatform_pipe.orders.state
}
