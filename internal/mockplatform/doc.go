// Package mockplatform is a fake of the platform: an [http.Handler] that
// implements the six operations of the API document on JSON documents in memory.
//
//	platform := mockplatform.New(mockplatform.DefaultSeed())
//	server := httptest.NewServer(platform)
//	platform.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Status: 503, Times: 2})
//
// It stores documents and never a client's types: if both sides shared a
// struct, a misspelt tag would cancel out and every test would pass. Numbers
// keep their digits.
//
// # Strictness
//
// It rejects everything that the API document gives it reason to reject: a wrong
// or missing key (401), a path element that is not a UUID, an unexpected body,
// unknown members at any depth, values of the wrong type or out of range (400),
// another Content-Type (415), more than 4 MiB (413), an unknown ID (404). One
// schema per body (directory bodies) drives checks, merges and resets.
//
// Where the document is silent, the simplest behaviour is the default and
// [Behaviour] has the alternatives: a PATCH keeps what it omits, a response has
// every stored member, a whole number is written plainly. A filter has the form
// "tag:KEY=VALUE" or "KEY=VALUE", and several filters must all match. The
// management API accepts a created key while it is enabled and not expired.
//
// # Faults
//
// A [Fault] affects the next requests that it matches; a [Behaviour] lasts. A
// fault acts in this order: delay, hang or reset, status or result, headers,
// cut. With After, the request is carried out before all of that, with Half a part
// of it, and with Later it is carried out while the client already has the fault. A
// request that gets a fault's status without one of these is neither checked nor
// counted against the rate limit.
//
// # Inspection
//
// [Server.Requests] is the journal, [Server.Keys] every created key,
// [Server.PipeSecrets] what the API never returns. Service, Pipe and Alert return
// a stored document. The Set, Update, Remove and Restore methods change objects
// outside the API, which a client sees as drift, and RevokeKey ends a key.
//
// # Seed
//
// A seed is a directory of JSON documents, one object in each file:
//
//	credentials.json                          keyId, keySecret, accessToken
//	organizations/NAME/organization.json      id
//	organizations/NAME/services/NAME.json     a service; its member "tags" is
//	                                          used by filters and never returned
//	organizations/NAME/pipes/NAME.json        a pipe of the service in serviceId
//	alerts/NAME.json                          an alert
//
// Files are read in the order of their names, which is the order of the list.
// Hidden files and files of other names are ignored.
//
// # Files
//
// From a request to its response:
//
//	server.go      the server and its behavior
//	route.go       the operation of a path
//	handler.go     one request: checks, the operation, the fault
//	operations.go  what each operation does
//	patch.go       how a PATCH changes a document: merges, resets, rewrites
//	steps.go       what of a PATCH arrives later
//	schema.go      the schemas of bodies: checks and defaults
//	results.go     what a behavior changes in a result
//	response.go    the response to a request
//	connection.go  a response that a fault cuts off
//
// What a test sets, and sees:
//
//	behaviour.go   what lasts
//	fault.go       what affects the next requests
//	ratelimit.go   429
//	journal.go     the requests that arrived
//	documents.go   changes outside the API
//	generate.go    many objects at once
//	memory.go      connections in memory, in the time of a test
//
// What is stored:
//
//	seed.go        the initial content, from a directory
//	store.go       the documents, under one lock
//	json.go        documents with the digits of their numbers
package mockplatform
