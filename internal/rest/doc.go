// Package rest sends one request to an HTTP API until it is decided. It knows no operation, type or path
// of an API. A caller declares a request (request.go). A call sends attempts (call.go, send.go), as far
// as the health of the API and the policy of retries allow. What a response says, and who has answered,
// is read in answer.go; errors, what to do about them, and masking have files of their own.
package rest
