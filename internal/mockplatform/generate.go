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
		ids[i] = numbered("60000000", number)
		doc["id"], doc["name"] = ids[i], fmt.Sprintf("service-%05d", number)
		doc["dataWarehouseId"], doc["tags"] = numbered("61000000", number), Document{"load": "true"}
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
		ids[i] = numbered("70000000", number)
		doc["id"], doc["name"], doc["serviceId"] = ids[i], fmt.Sprintf("pipe-%05d", number), serviceID
		s.store.pipes.set(doc)
	}
	return ids
}

func numbered(prefix string, number int) string {
	return fmt.Sprintf("%s-0000-4000-8000-%012d", prefix, number)
}
