// Package provider is the Terraform provider: schemas, plans, state and messages.
// Package adopt has the engine of adopted objects, package platform the API client.
//
//	provider*.go: the provider's configuration, its settings, and the list of what it has
//	server.go, validate.go: the server: engines for adopted objects, the framework, corrected, for the rest
//	schema.go, validators.go: attributes: what a configuration may do with them, their types and checks
//	*_data_source.go: the data sources, with what they have in common in data_source.go
//	service_scaling.go: dataplatform_service_scaling, the kind with its schema, and its list resource
//	pipe.go, pipe_schema.go: dataplatform_pipe, the kind, its PATCH and its schema
//	pipe_mappings.go: table mappings: what is wrong with them, what a plan changes, in words, and their keys
//	pipe_names.go: names of columns and tables that are probably a mistake
//	pipe_credentials.go: the credentials of a source, as write-only arguments
//	api_key_resource.go, api_key_schema.go: dataplatform_api_key: the creation of a key, its refreshes, and its end
//	api_key_plan.go: when a key is created, kept or replaced, and what warnings say of it
//	api_key_recipients.go: to whom its secret is encrypted, and the version of the secret
//	api_key_secret.go: the ephemeral resource dataplatform_api_key_secret
package provider
