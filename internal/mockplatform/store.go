package mockplatform

import (
	"slices"
	"sync"
	"time"
)

// store holds the documents. Its mutex is held for as long as a change takes,
// so that changes to one object follow each other; documents are never handed
// out but as copies, unless under the mutex.
type store struct {
	mu            sync.Mutex
	organizations map[string]*organization
	services      map[string]*service
	pipes         map[string]*pipe
	alerts        map[string]Document
	keys          []*key
	generated     int // services and pipes made for load, which numbers them
}

type organization struct {
	services []*service // in the order of the list
	encoded  []byte     // the whole list, nil after a change
}

type service struct {
	organizationID string
	doc            Document
	tags           map[string]string
	encoded        []byte // nil after a change
}

type pipe struct {
	doc     Document
	secrets Document // the last ones accepted, by source kind
}

type key struct {
	organizationID string
	requestID      string
	request        Document
	result         Document
	state          string
	expireAt       time.Time // zero: never
}

func newStore(seed Seed) *store {
	st := &store{
		organizations: map[string]*organization{},
		services:      map[string]*service{},
		pipes:         map[string]*pipe{},
		alerts:        map[string]Document{},
	}
	for _, seeded := range seed.Organizations {
		st.organizations[seeded.ID] = &organization{}
		for _, doc := range seeded.Services {
			st.setService(seeded.ID, normalizeDocument(doc))
		}
		for id, tags := range seeded.Tags {
			st.setTags(id, tags)
		}
		for _, doc := range seeded.Pipes {
			doc = normalizeDocument(doc)
			st.pipes[text(doc, "id")] = &pipe{doc: doc, secrets: Document{}}
		}
	}
	for _, doc := range seed.Alerts {
		doc = normalizeDocument(doc)
		st.alerts[text(doc, "id")] = doc
	}
	return st
}

// setService adds a service at the end of its organization's list, or replaces
// the document of one that is there.
func (st *store) setService(organizationID string, doc Document) {
	id := text(doc, "id")
	if old, ok := st.services[id]; ok && old.organizationID == organizationID {
		old.doc = doc
		st.touch(old)
		return
	}
	st.removeService(id)
	owner := st.organizations[organizationID]
	if owner == nil {
		owner = &organization{}
		st.organizations[organizationID] = owner
	}
	added := &service{organizationID: organizationID, doc: doc}
	st.services[id] = added
	owner.services = append(owner.services, added)
	owner.encoded = nil
}

func (st *store) setTags(id string, tags map[string]string) {
	if tagged := st.services[id]; tagged != nil {
		tagged.tags = map[string]string{}
		for key, value := range tags {
			tagged.tags[key] = value
		}
	}
}

func (st *store) removeService(id string) {
	gone, ok := st.services[id]
	if !ok {
		return
	}
	delete(st.services, id)
	owner := st.organizations[gone.organizationID]
	owner.services = slices.DeleteFunc(owner.services, func(s *service) bool { return s == gone })
	owner.encoded = nil
}

// touch forgets what was encoded before a change.
func (st *store) touch(changed *service) {
	changed.encoded = nil
	st.organizations[changed.organizationID].encoded = nil
}

// list is an organization's services as JSON text, encoded again only as far
// as they changed: ten thousand services must not make the platform the
// bottleneck of a benchmark.
func (o *organization) list() []byte {
	if o.encoded != nil {
		return o.encoded
	}
	size := len("[]")
	for _, s := range o.services {
		if s.encoded == nil {
			s.encoded = encode(s.doc)
		}
		size += len(s.encoded) + len(",")
	}
	out := append(make([]byte, 0, size), '[')
	for i, s := range o.services {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, s.encoded...)
	}
	out = append(out, ']')
	o.encoded = out
	return out
}

// opens tells whether a key made through the API opens the management API.
func (st *store) opens(id, secret string, now time.Time) bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, k := range st.keys {
		if same(id, text(k.result, "keyId")) && same(secret, text(k.result, "keySecret")) {
			return k.state == "enabled" && (k.expireAt.IsZero() || now.Before(k.expireAt))
		}
	}
	return false
}
