// Package provider is the Terraform provider: schemas, plans, state and messages.
// Package adopt has the engine of adopted objects, package platform the API client.
//
//	provider.go: the provider's configuration, and the list of what it has
//	provider_settings.go: its settings, from the provider block or the environment
//	server.go: the server: engines for adopted objects, the framework for the rest
//	validate.go: validation: the framework's, corrected
//	adopted_resource.go: the framework's resource of an adopted kind: its schemas
//	schema.go: attributes: what a configuration may do with them, and their types
//	validators.go: checks of values, with their errors
//	data_source.go: what the data sources have in common
//	alert_data_source.go: dataplatform_alert
//	services_data_source.go: dataplatform_service and dataplatform_services
//	service_scaling.go: dataplatform_service_scaling, the kind with its schema, and its list resource
//	pipe.go: dataplatform_pipe, the kind and its PATCH
//	pipe_schema.go: its schema
//	pipe_mappings.go: table mappings: what is wrong with them, what a plan changes, in words, and their keys
//	pipe_names.go: names of columns and tables that are probably a mistake
//	pipe_credentials.go: the credentials of a source, as write-only arguments
//	pipe_data_source.go: the data source
//	api_key_resource.go: dataplatform_api_key: the creation of a key, its refreshes, and its end
//	api_key_schema.go: its schema
//	api_key_plan.go: when a key is created, kept or replaced, and what warnings say of it
//	api_key_recipients.go: to whom its secret is encrypted, and the version of the secret
//	api_key_secret.go: the ephemeral resource dataplatform_api_key_secret
package provider
