data "dataplatform_service" "events" {
  name = "events-eu"
}

# Where the service's users connect to.
output "events_hosts" {
  value = [for endpoint in data.dataplatform_service.events.endpoints : endpoint.host if endpoint.protocol == "mysql"]
}
