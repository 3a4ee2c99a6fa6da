// Package platform is the client of the Data Platform's two APIs: the management API
// (services, API keys, pipes) and the alerting API (alerts). It follows the API
// document and knows nothing of Terraform. Package rest sends its requests.
//
// Types and operations, each declared as a request, in the order of the API document:
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
//	share.go     equal reads in flight share one request
//	list.go      lists of services: which read an earlier one may serve, and what several of
//	             them say together
//	response.go  which responses are a success, and what they contain
//	number.go    numbers that are exact at any size
//	errors.go    what callers ask about an error, and words for their messages
package platform
