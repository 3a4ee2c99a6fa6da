package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// maxBody is the maximum size of a body for the console, in bytes.
const maxBody = 1 << 20

func isConsole(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/console/") }

// console does what a person would do in the platform's console, and what goes
// wrong on the way to the platform. It needs no credentials and leaves no trace
// in the journal. It reads objects as they are stored.
//
//	GET, PATCH, DELETE /console/services/ID  also pipes and alerts
//	GET                /console/keys         the keys that were created, without secrets
//	POST, DELETE       /console/faults       the body of a POST is a value of -fail
//
// The body of a PATCH is a JSON merge patch (RFC 7396): null removes a member.
func console(platform *mockplatform.Server) http.Handler {
	mux := http.NewServeMux()
	for path, objects := range map[string]struct {
		get    func(id string) mockplatform.Document
		update func(id string, change func(mockplatform.Document))
		remove func(id string)
	}{
		"services": {platform.Service, platform.UpdateService, platform.RemoveService},
		"pipes":    {platform.Pipe, platform.UpdatePipe, platform.RemovePipe},
		"alerts":   {platform.Alert, platform.UpdateAlert, platform.RemoveAlert},
	} {
		mux.HandleFunc("/console/"+path+"/{id}", func(w http.ResponseWriter, r *http.Request) {
			id := r.PathValue("id")
			if objects.get(id) == nil {
				http.Error(w, "no such object: "+path+"/"+id, http.StatusNotFound)
				return
			}
			switch r.Method {
			case http.MethodGet:
			case http.MethodPatch:
				var patch mockplatform.Document
				decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
				decoder.UseNumber()
				if err := decoder.Decode(&patch); err != nil || patch == nil {
					http.Error(w, fmt.Sprintf("the body must be a JSON object: %v", err), http.StatusBadRequest)
					return
				}
				objects.update(id, func(doc mockplatform.Document) { merge(doc, patch) })
			case http.MethodDelete:
				objects.remove(id)
				return
			default:
				http.Error(w, "use GET, PATCH or DELETE", http.StatusMethodNotAllowed)
				return
			}
			writeJSON(w, objects.get(id))
		})
	}
	mux.HandleFunc("GET /console/keys", func(w http.ResponseWriter, _ *http.Request) {
		keys := []any{}
		for _, created := range platform.Keys() {
			if result, ok := created["result"].(mockplatform.Document); ok {
				keys = append(keys, result["key"])
			}
		}
		writeJSON(w, keys)
	})
	mux.HandleFunc("POST /console/faults", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil {
			var fault mockplatform.Fault
			if fault, err = parseFault(strings.TrimSpace(string(body))); err == nil {
				platform.Inject(fault)
				return
			}
		}
		http.Error(w, err.Error(), http.StatusBadRequest)
	})
	mux.HandleFunc("DELETE /console/faults", func(http.ResponseWriter, *http.Request) { platform.ClearFaults() })
	return mux
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

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value) // fails only if the client has disconnected
}
