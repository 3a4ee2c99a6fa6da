package main

import (
	"encoding/json"
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
//	GET                     /console/services     IDs and names, and what a service or pipe belongs to
//	GET, PATCH, DELETE, PUT /console/services/ID  also pipes and alerts; PUT restores what DELETE removed
//	GET                     /console/keys         the keys that were created, without secrets
//	DELETE                  /console/keys/ID      revokes a key
//	POST, DELETE            /console/faults       the body of a POST is a value of -fail
//
// The body of a PATCH is a JSON merge patch (RFC 7396): null removes a member.
func console(platform *mockplatform.Server) http.Handler {
	mux := http.NewServeMux()
	builtIn := mockplatform.New(mockplatform.DefaultSeed())
	services := func() []mockplatform.Document {
		all := platform.Services()
		for _, doc := range all {
			id, _ := doc["id"].(string)
			doc["organizationId"] = platform.OrganizationOf(id)
		}
		return all
	}
	for _, k := range []kind{
		{"services", services, platform.Service, platform.UpdateService, platform.RemoveService, platform.RestoreService, builtIn.Services()},
		{"pipes", platform.Pipes, platform.Pipe, platform.UpdatePipe, platform.RemovePipe, platform.RestorePipe, builtIn.Pipes()},
		{"alerts", platform.Alerts, platform.Alert, platform.UpdateAlert, platform.RemoveAlert, platform.RestoreAlert, builtIn.Alerts()},
	} {
		mux.HandleFunc("GET /console/"+k.path, k.serveList)
		mux.HandleFunc("/console/"+k.path+"/{id}", k.serveObject)
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
	mux.HandleFunc("DELETE /console/keys/{id}", func(w http.ResponseWriter, r *http.Request) {
		if id := r.PathValue("id"); !platform.RevokeKey(id) {
			http.Error(w, "no such key: "+id, http.StatusNotFound)
		}
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

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value) // fails only if the client has disconnected
}
