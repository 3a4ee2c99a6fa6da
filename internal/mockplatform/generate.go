package mockplatform

import "fmt"

// AddServices adds n services of full size to an organization, each first in
// its own warehouse and tagged "load=true", and returns their ids.
func (s *Server) AddServices(organizationID string, n int) []string {
	template := documentWithID(DefaultSeed().Organizations[0].Services, FullServiceID)
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	ids := make([]string, n)
	for i := range ids {
		s.store.generated++
		number := s.store.generated
		doc := cloneDocument(template)
		ids[i] = fmt.Sprintf("60000000-0000-4000-8000-%012d", number)
		doc["id"] = ids[i]
		doc["name"] = fmt.Sprintf("service-%05d", number)
		doc["dataWarehouseId"] = fmt.Sprintf("61000000-0000-4000-8000-%012d", number)
		s.store.setService(organizationID, doc)
		s.store.setTags(ids[i], map[string]string{"load": "true"})
	}
	return ids
}

// AddPipes adds n pipes of full size to a service, of the four kinds in turn,
// and returns their ids.
func (s *Server) AddPipes(serviceID string, n int) []string {
	templates := DefaultSeed().Organizations[0].Pipes
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	ids := make([]string, n)
	for i := range ids {
		s.store.generated++
		number := s.store.generated
		doc := cloneDocument(templates[i%len(templates)])
		ids[i] = fmt.Sprintf("70000000-0000-4000-8000-%012d", number)
		doc["id"] = ids[i]
		doc["serviceId"] = serviceID
		doc["name"] = fmt.Sprintf("pipe-%05d", number)
		s.store.setPipe(doc)
	}
	return ids
}

func documentWithID(docs []Document, id string) Document {
	for _, doc := range docs {
		if text(doc, "id") == id {
			return doc
		}
	}
	panic("mockplatform: the built-in seed has no " + id)
}
