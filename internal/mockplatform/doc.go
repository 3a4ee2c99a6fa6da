// Package mockplatform is a fake of the platform: an [http.Handler] that carries
// out the six operations of the API document on JSON documents in memory.
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
// It rejects whatever the API document gives it reason to reject: a wrong or
// missing key (401), a path element that isn't a UUID, an unexpected body,
// members that the document doesn't name at any depth, values of the wrong type
// or out of range (400), another Content-Type (415), an unknown ID (404). One
// schema of each body (folder bodies) drives checking, merging and resetting.
//
// Where the document is silent, the plainest behaviour is the default and
// [Behaviour] has the others: a PATCH keeps what it omits, an answer has every
// stored member, a whole number is spelled plainly. A filter has the form
// "tag:KEY=VALUE" or "KEY=VALUE", and several must all hold. A created key opens
// the management API itself, while it is enabled and not expired.
//
// # Faults
//
// A [Fault] meets the next requests that it matches; a [Behaviour] lasts. Faults
// act in this order: the delay; hanging or a reset; the status or the result;
// the headers; a cut. With After, the change is made before all of that. A
// request that gets a fault's status without After is neither checked nor
// counted against the rate limit.
//
// # Inspection
//
// [Server.Requests] is the journal, [Server.Keys] every key ever made,
// [Server.PipeSecrets] what the API never returns. Service, Pipe and Alert return
// a stored document; the Set, Update and Remove methods are drift from outside.
//
// # Seed
//
// A seed is a folder of JSON documents, one object in each file:
//
//	credentials.json                          keyId, keySecret, accessToken
//	organizations/NAME/organization.json      id
//	organizations/NAME/services/NAME.json     a service; its member "tags" is
//	                                          used by filters and never returned
//	organizations/NAME/pipes/NAME.json        a pipe of the service in serviceId
//	alerts/NAME.json                          an alert
//
// Files are read in the order of their names, which is the order of the list.
package mockplatform
