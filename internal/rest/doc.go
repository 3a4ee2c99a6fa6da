// Package rest sends one request to an HTTP API until it is decided. It knows no
// operation, type or path of an API.
//
// One request:
//
//	request.go   what a caller declares: the request, and how it may be retried
//	call.go      a call, one attempt after the other (admit, send, observe), and the policy
//	             that decides what is next
//	send.go      one attempt, and its error
//	response.go  the body of a response
//
// All requests of an API:
//
//	client.go    the client and its APIs
//	dial.go      connections, proxies, TLS
//	gate.go      the only lock: the queue, the slots, and what ends waits
//	state.go     whether the next attempt may be sent: after a 429, in an outage, after a
//	             rejected login
//	wait.go      the backoff, and the waits that responses request
//
// Texts:
//
//	error.go     an error of one request
//	advice.go    what to do about an error
//	message.go   the message in a response
//	secrets.go   masks secrets
//	text.go      sentences, durations and times for messages
package rest
