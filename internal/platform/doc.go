// Package platform is the client of the Data Platform's two APIs: the management API
// (services, API keys, pipes) and the alerting API (alerts). It follows the API
// document and knows nothing of Terraform. Package rest sends its requests.
//
// Operations, each declared as a request, in the order of the API document. An operation
// hands the JSON of an object to a function of the caller, which reads it:
//
//	service.go   services
//	api_key.go   API keys
//	pipe.go      pipes
//	alert.go     alerts
//
// What they have in common:
//
//	client.go    the client and its settings
//	request.go   what all requests of an API share, and the read of one object
//	update.go    a PATCH under way, one attempt after the other
//	list.go      lists of services: which list serves a read
//	response.go  which responses are a success, and what they contain
//	errors.go    what callers ask about an error, and words for their messages
package platform
