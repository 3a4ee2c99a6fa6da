// Package mockplatform is a fake of the platform: an [http.Handler] that
// answers the six operations of the API document from JSON documents in memory.
//
//	platform := mockplatform.New(mockplatform.DefaultSeed())
//	server := httptest.NewServer(platform)
//	platform.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Status: 503, Times: 2})
//
// It stores documents and never a client's types: if both sides shared a
// struct, a misspelt tag would cancel out and every test would pass. Numbers
// keep the digits they came with.
//
// # Strictness
//
// It refuses whatever the API document gives it reason to refuse: a wrong or
// missing key (401), a path element that isn't a UUID, a body where none
// belongs, members that the document doesn't name at any depth, values of the
// wrong type or out of range (400), another Content-Type (415), what doesn't
// exist (404). One description of each body (shapes.go) drives checking,
// merging and resetting.
//
// Where the document is silent, the plainest behaviour is the default and
// [Behaviour] has the others: a PATCH keeps what it omits, an answer holds
// every member that is stored, a whole number is spelled plainly. A filter has
// the form "tag:KEY=VALUE" or "KEY=VALUE", and several must all hold. A key
// that was made opens the management API itself, while it is enabled and not
// expired.
//
// # Going wrong
//
// A [Fault] meets the next requests that it matches and is then used up; a
// [Behaviour] lasts. Faults act in this order: the delay; hanging or a reset;
// the answer's status or its result; its headers; a cut. With After, the change
// is made before all of that. A request that gets a fault's status without After
// goes past the rate limit and the checks.
//
// # Looking in
//
// [Server.Requests] is the journal, [Server.Keys] every key ever made,
// [Server.PipeSecrets] what no answer tells. Service, Pipe and Alert read a
// stored document; their Set, Update and Remove forms are drift from outside.
//
// # Seed
//
// A seed is a folder of JSON documents, one object in each file:
//
//	credentials.json                          keyId, keySecret, accessToken
//	organizations/NAME/organization.json      id, name
//	organizations/NAME/services/NAME.json     a service; its member "tags" is
//	                                          taken out and used by filters only
//	organizations/NAME/pipes/NAME.json        a pipe of the service in serviceId
//	alerts/NAME.json                          an alert
//
// Files are read in the order of their names, which is the order of the list.
package mockplatform
