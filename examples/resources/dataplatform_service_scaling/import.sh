# SERVICE_ID, in the organization of the provider
terraform import dataplatform_service_scaling.events 20000000-0000-4000-8000-000000000001

# ORGANIZATION_ID/SERVICE_ID
terraform import dataplatform_service_scaling.events 10000000-0000-4000-8000-000000000001/20000000-0000-4000-8000-000000000001
