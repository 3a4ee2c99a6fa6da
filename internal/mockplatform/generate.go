package mockplatform

import "fmt"

// AddServices adds n services to an organization and returns their IDs. Each has
// every field and the tag "load=true", and is the first in its own warehouse.
func (s *Server) AddServices(organizationID string, n int) []string {
	template := New(DefaultSeed()).Service(FullServiceID)
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	ids := make([]string, n)
	for i := range ids {
		s.store.addedServices++
		number := s.store.addedServices
		doc := cloneDocument(template)
		ids[i] = fmt.Sprintf("60000000-0000-4000-8000-%012d", number)
		doc["id"] = ids[i]
		doc["name"] = fmt.Sprintf("service-%05d", number)
		doc["dataWarehouseId"] = fmt.Sprintf("61000000-0000-4000-8000-%012d", number)
		doc["tags"] = Document{"load": "true"}
		s.store.setService(organizationID, doc)
	}
	return ids
}

// AddPipes adds n pipes to a service and returns their IDs. The four source kinds
// take turns.
func (s *Server) AddPipes(serviceID string, n int) []string {
	templates := DefaultSeed().Organizations[0].Pipes
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	ids := make([]string, n)
	for i := range ids {
		s.store.addedPipes++
		number := s.store.addedPipes
		doc := cloneDocument(templates[i%len(templates)])
		ids[i] = fmt.Sprintf("70000000-0000-4000-8000-%012d", number)
		doc["id"] = ids[i]
		doc["serviceId"] = serviceID
		doc["name"] = fmt.Sprintf("pipe-%05d", number)
		s.store.pipes.set(doc)
	}
	return ids
}
