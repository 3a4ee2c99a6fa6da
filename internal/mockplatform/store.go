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
	services      map[string]*object
	pipes         map[string]*object
	alerts        map[string]*object
	keys          []Document // as Keys returns them
	addedServices int        // by AddServices
	addedPipes    int        // by AddPipes
}

// object is a stored document and its metadata.
type object struct {
	doc            Document
	organizationID string   // of a service
	tags           Document // of a service, for filters
	secrets        Document // of a pipe: the last accepted ones, by source kind
}

func newStore(seed Seed) *store {
	st := &store{
		organizations: map[string][]*object{},
		services:      map[string]*object{},
		pipes:         map[string]*object{},
		alerts:        map[string]*object{},
	}
	for _, organization := range seed.Organizations {
		st.organizations[organization.ID] = nil
		for _, doc := range organization.Services {
			st.setService(organization.ID, normalizeDocument(doc))
		}
		for _, doc := range organization.Pipes {
			set(st.pipes, normalizeDocument(doc))
		}
	}
	for _, doc := range seed.Alerts {
		set(st.alerts, normalizeDocument(doc))
	}
	return st
}

// set adds an object, or replaces the document of the object with the same ID.
func set(objects map[string]*object, doc Document) *object {
	id := text(doc, "id")
	if objects[id] == nil {
		objects[id] = &object{secrets: Document{}}
	}
	objects[id].doc = doc
	return objects[id]
}

// setService adds a service at the end of its organization's list, or replaces
// it. Its member "tags" is stored apart for filters, since the API never returns
// tags.
func (st *store) setService(organizationID string, doc Document) {
	tags, tagged := doc["tags"]
	delete(doc, "tags")
	if old := st.services[text(doc, "id")]; old != nil && old.organizationID != organizationID {
		st.removeService(text(doc, "id"))
	}
	service := set(st.services, doc)
	if tagged {
		service.tags = asDocument(tags)
	}
	if service.organizationID == "" {
		service.organizationID = organizationID
		st.organizations[organizationID] = append(st.organizations[organizationID], service)
	}
}

func (st *store) removeService(id string) {
	gone := st.services[id]
	if gone == nil {
		return
	}
	delete(st.services, id)
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
