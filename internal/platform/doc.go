// Package platform is the client of the Data Platform's two APIs: the management API
// (services, API keys, pipes) and the alerting API (alerts). It follows the API
// document and imports nothing of Terraform. Package rest sends its requests.
//
// service.go, api_key.go, pipe.go and alert.go have the operations. Each declares a request, and
// hands the JSON of an object to a function of the caller, which reads it. They share
//
//	client.go    the client and its settings
//	request.go   what all requests of an API share: the read of one object, and its update
//	list.go      lists of services: which list serves a read
//	response.go  which responses are a success, and what they contain
//	errors.go    what callers ask about an error, and words for their messages
package platform
