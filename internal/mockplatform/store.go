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
	organizations map[string]bool // by their IDs
	services      *objects
	pipes         *objects
	alerts        *objects
	keys          []Document // as Keys returns them
	addedServices int        // by AddServices
	addedPipes    int        // by AddPipes
}

// objects are the objects of one kind.
type objects struct {
	byID    map[string]*object
	ordered []*object // as they were added
}

// object is a stored document and its metadata.
type object struct {
	doc            Document
	past           []version // of doc, the oldest first
	removed        bool      // kept so that the console can restore it
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
	st := &store{organizations: map[string]bool{}, services: newObjects(), pipes: newObjects(), alerts: newObjects()}
	for _, organization := range seed.Organizations {
		st.organizations[organization.ID] = true
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

func newObjects() *objects { return &objects{byID: map[string]*object{}} }

// get returns an object, nil if there is none or it was removed.
func (o *objects) get(id string) *object {
	if found := o.byID[id]; found != nil && !found.removed {
		return found
	}
	return nil
}

// set replaces the document of the object with the same ID, or adds an object at the end.
func (o *objects) set(doc Document) *object {
	id := text(doc, "id")
	if found := o.get(id); found != nil {
		found.replace(doc)
		return found
	}
	if removed := o.byID[id]; removed != nil {
		o.ordered = slices.DeleteFunc(o.ordered, func(other *object) bool { return other == removed })
	}
	added := &object{doc: doc, secrets: Document{}}
	o.byID[id], o.ordered = added, append(o.ordered, added)
	return added
}

// setService adds a service at the end of the list, or replaces it. Its member "tags" is
// stored apart for filters, since the API never returns tags.
func (st *store) setService(organizationID string, doc Document) {
	tags, tagged := doc["tags"]
	delete(doc, "tags")
	st.organizations[organizationID] = true
	service := st.services.set(doc)
	service.organizationID = organizationID
	if tagged {
		service.tags = asDocument(tags)
	}
}

// revokeKey removes a created key, and reports whether it existed.
func (st *store) revokeKey(id string) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	before := len(st.keys)
	st.keys = slices.DeleteFunc(st.keys, func(created Document) bool {
		return asDocument(asDocument(created["result"])["key"])["id"] == id
	})
	return len(st.keys) < before
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
