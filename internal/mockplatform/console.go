package mockplatform

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Console returns a handler that does what a person would do in the platform's console, and
// injects what goes wrong on the way to the platform. It needs no credentials, leaves no trace
// in the journal, and shows objects as they are stored.
//
//	GET                     /console/services     IDs and names, and what a service or pipe belongs to
//	GET, PATCH, DELETE, PUT /console/services/ID  also pipes and alerts; PUT restores what DELETE removed
//	GET                     /console/keys         the keys that were created, without secrets
//	DELETE                  /console/keys/ID      revokes a key
//	POST, DELETE            /console/faults       the body of a POST is the text of a fault
//
// The body of a PATCH is a JSON merge patch (RFC 7396): null removes a member.
func (s *Server) Console() http.Handler {
	mux := http.NewServeMux()
	builtIn := newStore(DefaultSeed())
	for _, kind := range []struct {
		path          string
		all, examples *objects
	}{
		{"/console/services", s.store.services, builtIn.services},
		{"/console/pipes", s.store.pipes, builtIn.pipes},
		{"/console/alerts", s.store.alerts, builtIn.alerts},
	} {
		mux.HandleFunc("GET "+kind.path, func(w http.ResponseWriter, _ *http.Request) { s.listObjects(w, kind.all) })
		mux.HandleFunc(kind.path+"/{id}", func(w http.ResponseWriter, r *http.Request) { s.serveObject(w, r, kind.all, kind.examples) })
	}
	mux.HandleFunc("GET /console/keys", func(w http.ResponseWriter, _ *http.Request) {
		keys := []any{}
		for _, created := range s.Keys() {
			keys = append(keys, asDocument(created["result"])["key"])
		}
		writeJSON(w, keys)
	})
	mux.HandleFunc("DELETE /console/keys/{id}", func(w http.ResponseWriter, r *http.Request) {
		if id := r.PathValue("id"); !s.store.revokeKey(id) {
			http.Error(w, "no such key: "+id, http.StatusNotFound)
		}
	})
	mux.HandleFunc("DELETE /console/faults", func(http.ResponseWriter, *http.Request) { s.ClearFaults() })
	mux.HandleFunc("POST /console/faults", func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody)) // a text that is cut off is no fault
		fault, err := parseFault(strings.TrimSpace(string(text)))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		s.Inject(fault)
	})
	return mux
}

func (s *Server) listObjects(w http.ResponseWriter, all *objects) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	list := []any{}
	for _, o := range all.ordered {
		summary := Document{"id": o.doc["id"], "name": o.doc["name"]}
		if serviceID, ok := o.doc["serviceId"]; ok {
			summary["serviceId"] = serviceID
		}
		if o.organizationID != "" {
			summary["organizationId"] = o.organizationID
		}
		if !o.removed {
			list = append(list, summary)
		}
	}
	writeJSON(w, list)
}

func (s *Server) serveObject(w http.ResponseWriter, r *http.Request, all, examples *objects) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	found := all.byID[r.PathValue("id")]
	if found == nil || found.removed && r.Method != http.MethodPut {
		http.Error(w, "no such object: "+r.URL.Path, http.StatusNotFound)
		return
	}
	switch r.Method {
	case http.MethodGet:
	case http.MethodDelete, http.MethodPut:
		if len(body) > 0 {
			err = errors.New("DELETE and PUT take no body: PUT restores what DELETE removed")
			break
		}
		found.removed = r.Method == http.MethodDelete
	case http.MethodPatch:
		if err == nil {
			err = found.patchInConsole(body, examples)
		}
	default:
		err = errors.New("use GET, PATCH, DELETE or PUT")
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	writeJSON(w, found.doc)
}

// patchInConsole changes the members in a body, all of which the object or one of the built-in
// objects of its kind must have: an unknown member would be stored and ignored.
func (o *object) patchInConsole(body []byte, examples *objects) error {
	value, err := decode(body)
	if err != nil {
		return err
	}
	patch, ok := value.(Document)
	if !ok {
		return errors.New("the body must be a JSON object")
	}
	known := pathsOf(o.doc, "")
	for _, example := range examples.ordered {
		known = append(known, pathsOf(example.doc, "")...)
	}
	for _, path := range pathsOf(patch, "") {
		if !slices.Contains(known, path) {
			return fmt.Errorf("no such member: %s (members have the names of the API, such as numReplicas)", path)
		}
	}
	doc := cloneDocument(o.doc)
	applyMergePatch(doc, patch)
	o.replace(doc)
	return nil
}

// pathsOf returns the paths of all members in a value, without the indexes of lists.
func pathsOf(value any, at string) (paths []string) {
	switch value := value.(type) {
	case Document:
		for name, member := range value {
			paths = append(paths, join(at, name))
			paths = append(paths, pathsOf(member, join(at, name))...)
		}
	case []any:
		for _, element := range value {
			paths = append(paths, pathsOf(element, at)...)
		}
	}
	return paths
}

func applyMergePatch(doc, patch Document) {
	for name, value := range patch {
		inner, isObject := value.(Document)
		stored, wasObject := doc[name].(Document)
		switch {
		case value == nil:
			delete(doc, name)
		case isObject && wasObject:
			applyMergePatch(stored, inner)
		default:
			doc[name] = value
		}
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", jsonType)
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value) // fails only if the client has disconnected
}
