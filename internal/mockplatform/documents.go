package mockplatform

import "slices"

// These methods read and change objects outside the API. Documents are copied in
// and out. For an unknown ID they return nil or do nothing.

// Service returns the stored document of a service.
func (s *Server) Service(id string) Document { return s.store.document(s.store.services, id) }

// Pipe returns the stored document of a pipe.
func (s *Server) Pipe(id string) Document { return s.store.document(s.store.pipes, id) }

// Alert returns the stored document of an alert.
func (s *Server) Alert(id string) Document { return s.store.document(s.store.alerts, id) }

// PipeSecrets returns the last secrets that a pipe accepted, by source kind:
// {"kafka": {"credentials": {"username": ..., "password": ...}}}.
func (s *Server) PipeSecrets(id string) Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.pipes[id]; found != nil {
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

// Keys returns all created keys, oldest first: organizationId, requestId, the
// body as request, and the original result with its secret, even if a fault
// changed the response.
func (s *Server) Keys() []Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	out := make([]Document, len(s.store.keys))
	for i, key := range s.store.keys {
		out[i] = cloneDocument(key)
	}
	return out
}

func (st *store) document(objects map[string]*object, id string) Document {
	st.mu.Lock()
	defer st.mu.Unlock()
	if found := objects[id]; found != nil {
		return cloneDocument(found.doc)
	}
	return nil
}

func (st *store) setDocument(objects map[string]*object, doc Document) {
	doc = normalizeDocument(doc)
	st.mu.Lock()
	defer st.mu.Unlock()
	set(objects, doc)
}

func (st *store) remove(objects map[string]*object, id string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(objects, id)
}

func (st *store) update(objects map[string]*object, id string, change func(doc Document)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if found := objects[id]; found != nil {
		doc := cloneDocument(found.doc)
		change(doc)
		found.doc = normalizeDocument(doc)
	}
}
