package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// kind is a kind of objects in the console.
type kind struct {
	path    string
	list    func() []mockplatform.Document
	get     func(id string) mockplatform.Document
	update  func(id string, change func(mockplatform.Document))
	remove  func(id string)
	restore func(id string)
	builtIn []mockplatform.Document // these have every member of the API document
}

// listed are the members of an object in a list.
var listed = []string{"id", "name", "serviceId", "organizationId"}

func (k kind) serveList(w http.ResponseWriter, _ *http.Request) {
	all := k.list()
	for _, doc := range all {
		maps.DeleteFunc(doc, func(name string, _ any) bool { return !slices.Contains(listed, name) })
	}
	writeJSON(w, all)
}

func (k kind) serveObject(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if r.Method == http.MethodPut {
		if r.ContentLength != 0 {
			http.Error(w, "PUT takes no body: it restores the object as it was", http.StatusBadRequest)
			return
		}
		k.restore(id)
	}
	doc := k.get(id)
	if doc == nil {
		http.Error(w, "no such object: "+k.path+"/"+id, http.StatusNotFound)
		return
	}
	switch r.Method {
	case http.MethodGet, http.MethodPut:
	case http.MethodPatch:
		var patch mockplatform.Document
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
		decoder.UseNumber()
		err := decoder.Decode(&patch)
		if err != nil || patch == nil {
			err = errors.Join(errors.New("the body must be a JSON object"), err)
		} else {
			err = checkMembers("", patch, k.like(doc))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		k.update(id, func(doc mockplatform.Document) { merge(doc, patch) })
	case http.MethodDelete:
		k.remove(id)
		return
	default:
		http.Error(w, "use GET, PATCH, DELETE or PUT", http.StatusMethodNotAllowed)
		return
	}
	writeJSON(w, k.get(id))
}

// like returns the object and the built-in ones with the same kinds of sources, so that a member that
// was removed from the object can be set again.
func (k kind) like(doc mockplatform.Document) []any {
	sources := func(doc mockplatform.Document) []string {
		source, _ := doc["source"].(mockplatform.Document)
		return slices.Sorted(maps.Keys(source))
	}
	similar := []any{doc}
	for _, other := range k.builtIn {
		if reflect.DeepEqual(sources(other), sources(doc)) {
			similar = append(similar, other)
		}
	}
	return similar
}

// checkMembers rejects a member that none of the similar values has: it would be stored
// and ignored.
func checkMembers(path string, value any, similar []any) error {
	known := map[string][]any{}
	for _, doc := range objectsIn(similar) {
		for name, member := range doc {
			known[name] = append(known[name], member)
		}
	}
	if len(known) == 0 {
		return nil // a map of any names, or no object
	}
	for _, object := range objectsIn([]any{value}) {
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if known[name] == nil {
				return fmt.Errorf("no such member: %s%s; there are %s", path, name, strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			}
			if err := checkMembers(path+name+".", object[name], known[name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// objectsIn returns the objects among values, and those in lists among them.
func objectsIn(values []any) (objects []mockplatform.Document) {
	for _, value := range values {
		switch value := value.(type) {
		case mockplatform.Document:
			objects = append(objects, value)
		case []any:
			objects = append(objects, objectsIn(value)...)
		}
	}
	return objects
}

func merge(doc, patch mockplatform.Document) {
	for name, value := range patch {
		inner, isObject := value.(mockplatform.Document)
		stored, wasObject := doc[name].(mockplatform.Document)
		switch {
		case value == nil:
			delete(doc, name)
		case isObject && wasObject:
			merge(stored, inner)
		default:
			doc[name] = value
		}
	}
}
