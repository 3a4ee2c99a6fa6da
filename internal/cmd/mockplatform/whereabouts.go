package main

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// place is where a platform listens and what opens it: the settings of a
// provider, in the order of its documentation.
type place struct {
	settings []setting
	ids      []setting
}

type setting struct{ argument, variable, value string }

func whereabouts(addr net.Addr, seed mockplatform.Seed) place {
	root := "http://" + reachable(addr)
	found := place{settings: []setting{
		{"base_url", "DATAPLATFORM_BASE_URL", root + prefix(seed.ManagementPrefix)},
		{"organization_id", "DATAPLATFORM_ORGANIZATION_ID", ""},
		{"key_id", "DATAPLATFORM_KEY_ID", seed.KeyID},
		{"key_secret", "DATAPLATFORM_KEY_SECRET", seed.KeySecret},
		{"alerts_base_url", "DATAPLATFORM_ALERTS_BASE_URL", root + prefix(seed.AlertingPrefix)},
		{"alerts_access_token", "DATAPLATFORM_ALERTS_ACCESS_TOKEN", seed.AccessToken},
	}}
	if len(seed.Organizations) > 0 {
		first := seed.Organizations[0]
		found.settings[1].value = first.ID
		found.add("service", "MOCKPLATFORM_SERVICE_ID", first.Services)
		found.add("pipe", "MOCKPLATFORM_PIPE_ID", first.Pipes)
	}
	found.add("alert", "MOCKPLATFORM_ALERT_ID", seed.Alerts)
	return found
}

// add names documents: the first one's variable is plain, those of the others
// end in _2, _3 and so on.
func (p *place) add(kind, variable string, docs []mockplatform.Document) {
	for i, doc := range docs {
		name := variable
		if i > 0 {
			name = fmt.Sprintf("%s_%d", variable, i+1)
		}
		p.ids = append(p.ids, setting{fmt.Sprintf("%s %v", kind, doc["name"]), name, fmt.Sprint(doc["id"])})
	}
}

// reachable is an address that a client on this machine can dial, and that a
// provider lets pass without TLS.
func reachable(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", fmt.Sprint(tcp.Port))
	}
	return addr.String()
}

func prefix(value string) string {
	if value = strings.Trim(value, "/"); value == "" {
		return ""
	}
	return "/" + value
}

// environment is for scripts: what the provider reads from its environment,
// and the ids of what the platform holds.
func (p place) environment() string {
	var out strings.Builder
	for _, s := range slices.Concat(p.settings, p.ids) {
		fmt.Fprintf(&out, "export %s='%s'\n", s.variable, strings.ReplaceAll(s.value, "'", `'\''`))
	}
	return out.String()
}

// welcome is for people. The credentials are the fake's own, and no secret.
func (p place) welcome(quiet bool) string {
	address := fmt.Sprintf("The fake platform listens on %s (key %s / %s, alerts token %s).\n",
		p.settings[0].value, p.settings[2].value, p.settings[3].value, p.settings[5].value)
	if quiet {
		return address
	}
	var out strings.Builder
	out.WriteString(address + "\nprovider \"dataplatform\" {\n")
	for _, s := range p.settings {
		fmt.Fprintf(&out, "  %-19s = %q\n", s.argument, s.value)
	}
	out.WriteString("}\n\nIt holds:\n")
	for _, s := range p.ids {
		fmt.Fprintf(&out, "  %-28s %s\n", s.argument, s.value)
	}
	out.WriteString("\nCtrl-C ends it.\n")
	return out.String()
}
