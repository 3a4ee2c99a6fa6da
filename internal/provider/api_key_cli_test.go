package provider

import (
	"encoding/json"
	"fmt"
)

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
