package mockplatform

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
	if found := s.store.pipes.get(id); found != nil {
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
func (s *Server) SetPipe(doc Document) {
	doc = normalizeDocument(doc)
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.pipes.set(doc)
}

// UpdateService changes a service.
func (s *Server) UpdateService(id string, change func(doc Document)) {
	s.store.update(s.store.services, id, change)
}

// UpdatePipe changes a pipe.
func (s *Server) UpdatePipe(id string, change func(doc Document)) {
	s.store.update(s.store.pipes, id, change)
}

// RemoveService removes a service. Its pipes can no longer be found.
func (s *Server) RemoveService(id string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.services.get(id); found != nil {
		found.removed = true
	}
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

func (st *store) document(all *objects, id string) Document {
	st.mu.Lock()
	defer st.mu.Unlock()
	if found := all.get(id); found != nil {
		return cloneDocument(found.doc)
	}
	return nil
}

func (st *store) update(all *objects, id string, change func(doc Document)) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if found := all.get(id); found != nil {
		doc := cloneDocument(found.doc)
		change(doc)
		found.replace(normalizeDocument(doc))
	}
}
