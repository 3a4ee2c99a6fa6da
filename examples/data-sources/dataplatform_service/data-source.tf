data "dataplatform_service" "events" {
  name = "events-eu"
}

output "events_hosts" {
  description = "Hosts that the service's users connect to."
  value = [
    for endpoint in data.dataplatform_service.events.endpoints : endpoint.host
    if endpoint.protocol == "mysql"
  ]
}
