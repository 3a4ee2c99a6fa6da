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
// A [Behaviour] lasts, whereas a [Fault] affects the next requests that it
// matches, in this order: delay, hang or reset, status or result, headers, cut.
// With After, the request is carried out before all of that, with Half a part
// of it, and with Later it is carried out while the client already has the fault. A
// request that gets a fault's status without one of these is neither checked nor
// counted against the rate limit.
//
// [Server.Requests] is the journal, [Server.Keys] every created key, and
// [Server.PipeSecrets] what the API never returns. The Set, Update and Remove methods
// and [Server.Console] change objects outside the API, which a client sees as drift.
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
// A request passes through server.go, route.go, handler.go, operations.go, patch.go
// (merges and resets), results.go (what a behaviour changes), response.go and, if a
// fault cuts it off, connection.go.
package mockplatform
