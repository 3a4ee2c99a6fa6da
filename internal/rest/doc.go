// Package rest sends one request to an HTTP API until it is decided. It knows no
// operation, type or path of an API. From a request to what became of it:
//
//	request.go   what a caller declares: the request, and how it may be retried
//	call.go      a call, one attempt after the other (admit, send, observe), the policy that
//	             decides what is next, the backoff, and the waits that responses request
//	gate.go      where calls wait: the queue, the limit of concurrent requests, the only lock
//	state.go     whether the next attempt to an API may be sent: after a 429, in an outage, with
//	             rejected credentials
//	send.go      one attempt, and its error
//	response.go  the body of a response, and the message in it
//	error.go     an error of one request, and sentences, durations and times for messages
//	advice.go    what to do about an error
//	secrets.go   masks secrets
//	client.go    the client, its APIs, and its connections: proxies, TLS
package rest
