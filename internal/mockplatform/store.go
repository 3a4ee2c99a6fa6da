package mockplatform

import (
	"slices"
	"sync"
	"time"
)

// store holds the documents. Callers hold its mutex for a whole change, and
// documents leave it only as copies.
type store struct {
	mu            sync.Mutex
	organizations map[string][]*object // their services, in the order of the list
	services      objects
	pipes         objects
	alerts        objects
	keys          []Document // as Keys returns them
	addedServices int        // by AddServices
	addedPipes    int        // by AddPipes
}

// objects are the objects of one kind, by their IDs.
type objects struct{ existing, removed map[string]*object }

func noObjects() objects { return objects{map[string]*object{}, map[string]*object{}} }

// object is a stored document and its metadata.
type object struct {
	doc            Document
	past           []version // of doc, the oldest first
	organizationID string    // of a service
	tags           Document  // of a service, for filters
	secrets        Document  // of a pipe: the last accepted ones, by source kind
}

// version is a document that was replaced.
type version struct {
	until time.Time
	doc   Document
}

// maxVersions is how many documents of the past an object keeps.
const maxVersions = 32

// replace stores a new document.
func (o *object) replace(doc Document) {
	o.past = append(o.past, version{time.Now(), o.doc})
	if len(o.past) > maxVersions {
		o.past = o.past[1:]
	}
	o.doc = doc
}

// before returns the document as it was so long ago, or the oldest that there is.
func (o *object) before(lag time.Duration) Document {
	at := time.Now().Add(-lag)
	for _, v := range o.past {
		if v.until.After(at) {
			return v.doc
		}
	}
	return o.doc
}

func newStore(seed Seed) *store {
	st := &store{
		organizations: map[string][]*object{},
		services:      noObjects(),
		pipes:         noObjects(),
		alerts:        noObjects(),
	}
	for _, organization := range seed.Organizations {
		st.organizations[organization.ID] = nil
		for _, doc := range organization.Services {
			st.setService(organization.ID, normalizeDocument(doc))
		}
		for _, doc := range organization.Pipes {
			st.pipes.set(normalizeDocument(doc))
		}
	}
	for _, doc := range seed.Alerts {
		st.alerts.set(normalizeDocument(doc))
	}
	return st
}

// set adds an object, or replaces the document of the object with the same ID.
func (o objects) set(doc Document) *object {
	id := text(doc, "id")
	if found := o.existing[id]; found != nil {
		found.replace(doc)
	} else {
		o.existing[id] = &object{doc: doc, secrets: Document{}}
	}
	delete(o.removed, id)
	return o.existing[id]
}

// remove removes an object, and keeps it for restore.
func (o objects) remove(id string) {
	if found := o.existing[id]; found != nil {
		o.removed[id] = found
		delete(o.existing, id)
	}
}

// restore puts a removed object back as it was. It returns nil if there is none.
func (o objects) restore(id string) *object {
	found := o.removed[id]
	if found != nil {
		o.existing[id] = found
		delete(o.removed, id)
	}
	return found
}

// setService adds a service at the end of its organization's list, or replaces
// it. Its member "tags" is stored apart for filters, since the API never returns
// tags.
func (st *store) setService(organizationID string, doc Document) {
	tags, tagged := doc["tags"]
	delete(doc, "tags")
	if old := st.services.existing[text(doc, "id")]; old != nil && old.organizationID != organizationID {
		st.removeService(text(doc, "id"))
	}
	service := st.services.set(doc)
	if tagged {
		service.tags = asDocument(tags)
	}
	if service.organizationID == "" {
		service.organizationID = organizationID
		st.organizations[organizationID] = append(st.organizations[organizationID], service)
	}
}

func (st *store) removeService(id string) {
	gone := st.services.existing[id]
	if gone == nil {
		return
	}
	st.services.remove(id)
	owner := gone.organizationID
	st.organizations[owner] = slices.DeleteFunc(st.organizations[owner], func(o *object) bool { return o == gone })
}

// accepts reports whether a key created through the API is valid.
func (st *store) accepts(id, secret string, now time.Time) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, k := range st.keys {
		request, result := asDocument(k["request"]), asDocument(k["result"])
		if id == text(result, "keyId") && secret == text(result, "keySecret") {
			expireAt, err := time.Parse(time.RFC3339, text(asDocument(result["key"]), "expireAt"))
			return text(request, "state") != "disabled" && (err != nil || now.Before(expireAt))
		}
	}
	return false
}
