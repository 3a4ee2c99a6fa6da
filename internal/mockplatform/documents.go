package mockplatform

// What a test does behind the API's back. Documents go in and out as copies;
// what isn't there is nil, or ignored.

// Service is the stored document of a service.
func (s *Server) Service(id string) Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.services[id]; found != nil {
		return cloneDocument(found.doc)
	}
	return nil
}

// SetService adds or replaces a service, and the organization if need be.
func (s *Server) SetService(organizationID string, doc Document) {
	doc = normalizeDocument(doc)
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.setService(organizationID, doc)
}

// SetTags replaces the resource tags of a service.
func (s *Server) SetTags(serviceID string, tags map[string]string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.setTags(serviceID, tags)
}

// UpdateService changes a service.
func (s *Server) UpdateService(id string, change func(doc Document)) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.services[id]; found != nil {
		found.doc = changed(found.doc, change)
		s.store.touch(found)
	}
}

// RemoveService takes a service away. Its pipes answer 404 from then on.
func (s *Server) RemoveService(id string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.removeService(id)
}

// RemoveServices takes all services of an organization away, and leaves the
// organization.
func (s *Server) RemoveServices(organizationID string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if owner := s.store.organizations[organizationID]; owner != nil {
		for _, gone := range owner.services {
			delete(s.store.services, text(gone.doc, "id"))
		}
		*owner = organization{}
	}
}

// Pipe is the stored document of a pipe.
func (s *Server) Pipe(id string) Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.pipes[id]; found != nil {
		return cloneDocument(found.doc)
	}
	return nil
}

// SetPipe adds or replaces a pipe of the service in its serviceId.
func (s *Server) SetPipe(doc Document) {
	doc = normalizeDocument(doc)
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.setPipe(doc)
}

func (st *store) setPipe(doc Document) {
	id := text(doc, "id")
	if old := st.pipes[id]; old != nil {
		old.doc = doc
		return
	}
	st.pipes[id] = &pipe{doc: doc, secrets: Document{}}
}

// UpdatePipe changes a pipe.
func (s *Server) UpdatePipe(id string, change func(doc Document)) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.pipes[id]; found != nil {
		found.doc = changed(found.doc, change)
	}
}

// RemovePipe takes a pipe away.
func (s *Server) RemovePipe(id string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	delete(s.store.pipes, id)
}

// PipeSecrets are the last secrets that a pipe accepted, by source kind:
// {"kafka": {"credentials": {"username": ..., "password": ...}}}.
func (s *Server) PipeSecrets(id string) Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.pipes[id]; found != nil {
		return cloneDocument(found.secrets)
	}
	return nil
}

// Alert is the stored document of an alert.
func (s *Server) Alert(id string) Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return cloneDocument(s.store.alerts[id])
}

// SetAlert adds or replaces an alert.
func (s *Server) SetAlert(doc Document) {
	doc = normalizeDocument(doc)
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	s.store.alerts[text(doc, "id")] = doc
}

// UpdateAlert changes an alert.
func (s *Server) UpdateAlert(id string, change func(doc Document)) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	if found := s.store.alerts[id]; found != nil {
		s.store.alerts[id] = changed(found, change)
	}
}

// RemoveAlert takes an alert away.
func (s *Server) RemoveAlert(id string) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	delete(s.store.alerts, id)
}

// Keys are all keys ever made, oldest first: organizationId, requestId, the
// request's body, and the result as it was made, secret included, whatever a
// fault then did to the answer.
func (s *Server) Keys() []Document {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	out := make([]Document, len(s.store.keys))
	for i, k := range s.store.keys {
		out[i] = Document{
			"organizationId": k.organizationID,
			"requestId":      k.requestID,
			"request":        cloneDocument(k.request),
			"result":         cloneDocument(k.result),
		}
	}
	return out
}

// changed is a copy with the change made: the old document may be on its way
// into an answer still.
func changed(doc Document, change func(doc Document)) Document {
	doc = cloneDocument(doc)
	change(doc)
	return normalizeDocument(doc)
}
