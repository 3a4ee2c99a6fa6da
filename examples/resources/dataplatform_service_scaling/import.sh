terraform import dataplatform_service_scaling.events 20000000-0000-4000-8000-000000000001
terraform import dataplatform_service_scaling.events 10000000-0000-4000-8000-000000000001/20000000-0000-4000-8000-000000000001
