package main

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// summary has the settings of a provider, in the order of its documentation, and
// the IDs of the objects.
type summary struct{ settings, ids []setting }

type setting struct{ label, variable, value string }

func summarize(addr net.Addr, seed mockplatform.Seed) summary {
	root, first := "http://"+reachable(addr), seed.Organizations[0]
	found := summary{settings: []setting{
		{"base_url", "DATAPLATFORM_BASE_URL", root},
		{"organization_id", "DATAPLATFORM_ORGANIZATION_ID", first.ID},
		{"key_id", "DATAPLATFORM_KEY_ID", seed.KeyID},
		{"key_secret", "DATAPLATFORM_KEY_SECRET", seed.KeySecret},
		{"alerts_base_url", "DATAPLATFORM_ALERTS_BASE_URL", root},
		{"alerts_access_token", "DATAPLATFORM_ALERTS_ACCESS_TOKEN", seed.AccessToken},
	}}
	found.add("service", "MOCKPLATFORM_SERVICE_ID", first.Services)
	found.add("pipe", "MOCKPLATFORM_PIPE_ID", first.Pipes)
	found.add("alert", "MOCKPLATFORM_ALERT_ID", seed.Alerts)
	return found
}

// add adds a kind of objects. The first variable is plain, the others end in _2,
// _3 and so on.
func (s *summary) add(kind, variable string, docs []mockplatform.Document) {
	for i, doc := range docs {
		name := variable
		if i > 0 {
			name = fmt.Sprintf("%s_%d", variable, i+1)
		}
		label := kind
		if doc["name"] != nil {
			label = fmt.Sprintf("%s %v", kind, doc["name"])
		}
		s.ids = append(s.ids, setting{label, name, fmt.Sprint(doc["id"])})
	}
}

// reachable returns an address that a client on this machine can reach, and that
// the provider accepts without TLS.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	return addr.String()
}

// environment returns shell exports of the settings and the IDs.
func (s summary) environment() string {
	var out strings.Builder
	for _, one := range slices.Concat(s.settings, s.ids) {
		fmt.Fprintf(&out, "export %s='%s'\n", one.variable, strings.ReplaceAll(one.value, "'", `'\''`))
	}
	return out.String()
}

// welcome returns the text for the terminal. The credentials are public.
func (s summary) welcome(more []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "The fake platform listens on %s (key %s / %s, alerts token %s).\n\nprovider \"dataplatform\" {\n",
		s.settings[0].value, s.settings[2].value, s.settings[3].value, s.settings[5].value)
	for _, one := range s.settings {
		fmt.Fprintf(&out, "  %-19s = %q\n", one.label, one.value)
	}
	out.WriteString("}\n\nObjects:\n")
	for _, one := range s.ids {
		fmt.Fprintf(&out, "  %-28s %s\n", one.label, one.value)
	}
	for _, line := range more {
		fmt.Fprintf(&out, "  %s\n", line)
	}
	out.WriteString("\nPress Ctrl-C to stop it.\n")
	return out.String()
}
