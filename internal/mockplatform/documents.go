package mockplatform

import (
	"maps"
	"slices"
)

// These methods read and change objects outside the API. Documents are copied in
// and out. For an unknown ID they return nil or do nothing.

// Services returns the stored documents of all services, sorted by ID.
func (s *Server) Services() []Document { return s.store.documents(s.store.services) }

// Pipes returns the stored documents of all pipes, sorted by ID.
func (s *Server) Pipes() []Document { return s.store.documents(s.store.pipes) }

// Alerts returns the stored documents of all alerts, sorted by ID.
func (s *Server) Alerts() []Document { return s.store.documents(s.store.alerts) }

// Service returns the stored document of a service.
func (s *Server) Service(id string) Document { return s.store.document(s.store.services, id) }

// OrganizationOf returns the ID of a service's organization.
func (s *Server) OrganizationOf(serviceID string) string {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.services.existing[serviceID]; found != nil {
		return found.organizationID
	}
	return ""
}

// Pipe returns the stored document of a pipe.
func (s *Server) Pipe(id string) Document { return s.store.document(s.store.pipes, id) }

// Alert returns the stored document of an alert.
func (s *Server) Alert(id string) Document { return s.store.document(s.store.alerts, id) }

// PipeSecrets returns the last secrets that a pipe accepted, by source kind:
// {"kafka": {"credentials": {"username": ..., "password": ...}}}.
func (s *Server) PipeSecrets(id string) Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.pipes.existing[id]; found != nil {
		return cloneDocument(found.secrets)
	}
	return nil
}

// SetService adds or replaces a service, and adds the organization if needed.
// The member "tags" is only for filters.
func (s *Server) SetService(organizationID string, doc Document) {
	doc = normalizeDocument(doc)
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.setService(organizationID, doc)
}

// SetPipe adds or replaces a pipe of the service in its serviceId.
func (s *Server) SetPipe(doc Document) { s.store.setDocument(s.store.pipes, doc) }

// SetAlert adds or replaces an alert.
func (s *Server) SetAlert(doc Document) { s.store.setDocument(s.store.alerts, doc) }

// UpdateService changes a service.
func (s *Server) UpdateService(id string, change func(doc Document)) {
	s.store.update(s.store.services, id, change)
}

// UpdatePipe changes a pipe.
func (s *Server) UpdatePipe(id string, change func(doc Document)) {
	s.store.update(s.store.pipes, id, change)
}

// UpdateAlert changes an alert.
func (s *Server) UpdateAlert(id string, change func(doc Document)) {
	s.store.update(s.store.alerts, id, change)
}

// RemoveService removes a service. Its pipes can no longer be found.
func (s *Server) RemoveService(id string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.removeService(id)
}

// RemoveServices removes all services of an organization and keeps the organization.
func (s *Server) RemoveServices(organizationID string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	for _, service := range slices.Clone(s.store.organizations[organizationID]) {
		s.store.removeService(text(service.doc, "id"))
	}
}

// RemovePipe removes a pipe.
func (s *Server) RemovePipe(id string) { s.store.remove(s.store.pipes, id) }

// RemoveAlert removes an alert.
func (s *Server) RemoveAlert(id string) { s.store.remove(s.store.alerts, id) }

// RestoreService puts a removed service back as it was, at the end of the list.
func (s *Server) RestoreService(id string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if service := s.store.services.restore(id); service != nil {
		owner := service.organizationID
		s.store.organizations[owner] = append(s.store.organizations[owner], service)
	}
}

// RestorePipe puts a removed pipe back as it was.
func (s *Server) RestorePipe(id string) { s.store.restore(s.store.pipes, id) }

// RestoreAlert puts a removed alert back as it was.
func (s *Server) RestoreAlert(id string) { s.store.restore(s.store.alerts, id) }

// RevokeKey removes a created key, and reports whether it existed. The management
// API no longer accepts it.
func (s *Server) RevokeKey(id string) bool {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	before := len(s.store.keys)
	s.store.keys = slices.DeleteFunc(s.store.keys, func(key Document) bool {
		return text(asDocument(asDocument(key["result"])["key"]), "id") == id
	})
	return len(s.store.keys) < before
}

// Keys returns all created keys that were not revoked, oldest first:
// organizationId, requestId, the body as request, and the original result with its
// secret, even if a fault changed the response.
func (s *Server) Keys() []Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	out := make([]Document, len(s.store.keys))
	for i, key := range s.store.keys {
		out[i] = cloneDocument(key)
	}
	return out
}

func (st *store) documents(all objects) []Document {
	st.mu.Lock()
	defer st.mu.Unlock()
	docs := make([]Document, 0, len(all.existing))
	for _, id := range slices.Sorted(maps.Keys(all.existing)) {
		docs = append(docs, cloneDocument(all.existing[id].doc))
	}
	return docs
}

func (st *store) document(all objects, id string) Document {
	st.mu.Lock()
	defer st.mu.Unlock()
	if found := all.existing[id]; found != nil {
		return cloneDocument(found.doc)
	}
	return nil
}

func (st *store) setDocument(all objects, doc Document) {
	doc = normalizeDocument(doc)
	st.mu.Lock()
	defer st.mu.Unlock()
	all.set(doc)
}

func (st *store) remove(all objects, id string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	all.remove(id)
}

func (st *store) restore(all objects, id string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	all.restore(id)
}

func (st *store) update(all objects, id string, change func(doc Document)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if found := all.existing[id]; found != nil {
		doc := cloneDocument(found.doc)
		change(doc)
		found.replace(normalizeDocument(doc))
	}
}
