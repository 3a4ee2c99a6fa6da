package provider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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
		if said := all[d.Address]; d.Severity != "" {
			said.add(d.Severity == "error", d.Summary+": "+d.Detail)
			all[d.Address] = said
		}
	}
	return all
}

// keyInState is what the state has of one key.
type keyInState struct {
	ID      string `json:"id"`
	KeyID   string `json:"key_id"`
	Secret  string `json:"key_secret"`
	Tainted bool   `json:"-"`
}

// keys are the keys in the state, by address: those that a replacement has deposed
// apart.
func (w *workspace) keys() (current, deposed map[string]keyInState) {
	w.t.Helper()
	var state struct {
		Resources []struct {
			Type      string `json:"type"`
			Name      string `json:"name"`
			Instances []struct {
				IndexKey   any        `json:"index_key"`
				Deposed    string     `json:"deposed"`
				Status     string     `json:"status"`
				Attributes keyInState `json:"attributes"`
			} `json:"instances"`
		} `json:"resources"`
	}
	if err := json.Unmarshal([]byte(w.read("terraform.tfstate")), &state); err != nil {
		w.t.Fatal(err)
	}
	current, deposed = map[string]keyInState{}, map[string]keyInState{}
	for _, r := range state.Resources {
		for _, instance := range r.Instances {
			name := r.Name
			if instance.IndexKey != nil {
				name = fmt.Sprintf("%s[%v]", name, instance.IndexKey)
			}
			into := current
			if instance.Deposed != "" {
				into = deposed
			}
			if key := instance.Attributes; r.Type == keyType {
				key.Tainted = instance.Status == "tainted"
				into[name] = key
			}
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
	if programUnder(f.t).openTofu {
		address = "registry.opentofu.org/dataplatform/dataplatform"
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
