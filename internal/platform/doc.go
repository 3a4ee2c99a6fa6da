// Package platform is the client of the Data Platform's two APIs: the management API
// (services, API keys, pipes) and the alerting API (alerts). It follows the API
// document and imports nothing of Terraform. Package rest sends its requests.
//
// service.go, api_key.go, pipe.go and alert.go have the operations. Each declares a request, and
// hands the JSON of an object to a function of the caller, which reads it.
package platform
