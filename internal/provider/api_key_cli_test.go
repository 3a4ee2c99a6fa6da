package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"slices"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// diagnostics runs a command and returns what it says of each address; what
// has none is under "".
func (w *workspace) diagnostics(args ...string) map[string]diagnoses {
	w.t.Helper()
	out, _ := w.command(w.t.Context(), slices.Insert(slices.Clone(args), 1, "-json")...).Output()
	all := map[string]diagnoses{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var line struct {
			Diagnostic struct {
				Severity string `json:"severity"`
				Summary  string `json:"summary"`
				Detail   string `json:"detail"`
				Address  string `json:"address"`
			} `json:"diagnostic"`
		}
		if json.Unmarshal(lines.Bytes(), &line) != nil {
			continue
		}
		d := line.Diagnostic
		told := all[d.Address]
		switch text := d.Summary + ": " + d.Detail; d.Severity {
		case "error":
			told.errors = append(told.errors, text)
		case "warning":
			told.warnings = append(told.warnings, text)
		}
		all[d.Address] = told
	}
	return all
}

// keyInState is what the state holds of one key.
type keyInState struct {
	id, keyID, secret string
	tainted           bool
	name, expiry      string
}

// keys are the current keys in the state, by address: not those that a
// replacement has deposed.
func (w *workspace) keys() map[string]keyInState {
	w.t.Helper()
	current, _ := w.allKeys()
	return current
}

// allKeys are the current keys in the state, by address, and the deposed ones,
// by ID.
func (w *workspace) allKeys() (current, deposed map[string]keyInState) {
	w.t.Helper()
	out, err := w.command(w.t.Context(), "show", "-json").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var state struct {
		Values struct {
			Root struct {
				Resources []struct {
					Address string `json:"address"`
					Type    string `json:"type"`
					Tainted bool   `json:"tainted"`
					Deposed string `json:"deposed_key"`
					Values  struct {
						ID     string `json:"id"`
						Name   string `json:"name"`
						Expiry string `json:"expire_at"`
						KeyID  string `json:"key_id"`
						Secret string `json:"key_secret"`
					} `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	if err := json.Unmarshal(out, &state); err != nil {
		w.t.Fatal(err)
	}
	current, deposed = map[string]keyInState{}, map[string]keyInState{}
	for _, r := range state.Values.Root.Resources {
		if r.Type == keyType {
			into, by := current, r.Address
			if r.Deposed != "" {
				into, by = deposed, r.Values.ID
			}
			into[by] = keyInState{r.Values.ID, r.Values.KeyID, r.Values.Secret, r.Tainted, r.Values.Name, r.Values.Expiry}
		}
	}
	return current, deposed
}

// clockedWorkspace is a workspace in which the real terraform talks to a provider in
// this process, so that the provider is on the fixture's clock.
func (f *fixture) clockedWorkspace(config string) *workspace {
	f.t.Helper()
	w := f.workspace(config)
	configs, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	address := "registry.terraform.io/dataplatform/dataplatform"
	if host := os.Getenv("TF_ACC_PROVIDER_HOST"); host != "" {
		address = host + "/dataplatform/dataplatform"
	}
	go func() {
		defer close(closed)
		_ = tf6server.Serve(address, func() tfprotov6.ProviderServer { return serverOf(&dataplatformProvider{version: "test", now: f.now}) },
			tf6server.WithDebug(ctx, configs, nil), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(f.t))
	}()
	f.t.Cleanup(func() { cancel(); <-closed })
	reattach := <-configs
	text, err := json.Marshal(map[string]any{address: map[string]any{
		"Protocol": reattach.Protocol, "ProtocolVersion": 6, "Pid": reattach.Pid, "Test": true,
		"Addr": map[string]string{"Network": reattach.Addr.Network(), "String": reattach.Addr.String()},
	}})
	if err != nil {
		f.t.Fatal(err)
	}
	w.env = append(w.env, "TF_REATTACH_PROVIDERS="+string(text))
	return w
}
