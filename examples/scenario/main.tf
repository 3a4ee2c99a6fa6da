# URL and credentials come from DATAPLATFORM_BASE_URL, DATAPLATFORM_KEY_ID and
# DATAPLATFORM_KEY_SECRET.
provider "dataplatform" {
  organization_id = var.organization_id
}

module "team" {
  source = "./modules/team"

  environment = var.environment
  import_only = var.import_only

  services = var.services
  pipes    = var.pipes

  source_secrets = { customers = var.customers_password }
}
