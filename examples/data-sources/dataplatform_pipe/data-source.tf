data "dataplatform_pipe" "orders" {
  service_id = "20000000-0000-4000-8000-000000000001"
  pipe_id    = "40000000-0000-4000-8000-000000000001"
}

output "orders_topics" {
  value = data.dataplatform_pipe.orders.source.kafka.topics
}
