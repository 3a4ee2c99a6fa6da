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
type summary struct {
	settings []setting
	ids      []setting
	added    []added
}

// added are the objects of one kind that flags added.
type added struct {
	kind string
	ids  []string
	get  func(id string) mockplatform.Document
}

// String returns number, names and IDs, the last two as first and last.
func (a added) String() string {
	first, last := a.ids[0], a.ids[len(a.ids)-1]
	if first == last {
		return fmt.Sprintf("1 %s %v   %s", a.kind, a.get(first)["name"], first)
	}
	return fmt.Sprintf("%d %ss %v to %v   %s to %s", len(a.ids), a.kind, a.get(first)["name"], a.get(last)["name"], first, last)
}

type setting struct{ argument, variable, value string }

func summarize(addr net.Addr, seed mockplatform.Seed) summary {
	root, first := "http://"+reachable(addr), seed.Organizations[0]
	found := summary{settings: []setting{
		{"base_url", "DATAPLATFORM_BASE_URL", address(root, seed.ManagementPrefix)},
		{"organization_id", "DATAPLATFORM_ORGANIZATION_ID", first.ID},
		{"key_id", "DATAPLATFORM_KEY_ID", seed.KeyID},
		{"key_secret", "DATAPLATFORM_KEY_SECRET", seed.KeySecret},
		{"alerts_base_url", "DATAPLATFORM_ALERTS_BASE_URL", address(root, seed.AlertingPrefix)},
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

func address(root, prefix string) string {
	return strings.TrimRight(root+"/"+strings.Trim(prefix, "/"), "/")
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
func (s summary) welcome(quiet bool) string {
	address := fmt.Sprintf("The fake platform listens on %s (key %s / %s, alerts token %s).\n",
		s.settings[0].value, s.settings[2].value, s.settings[3].value, s.settings[5].value)
	if quiet {
		return address
	}
	var out strings.Builder
	out.WriteString(address + "\nprovider \"dataplatform\" {\n")
	for _, one := range s.settings {
		fmt.Fprintf(&out, "  %-19s = %q\n", one.argument, one.value)
	}
	out.WriteString("}\n\nObjects:\n")
	for _, one := range s.ids {
		fmt.Fprintf(&out, "  %-28s %s\n", one.argument, one.value)
	}
	for _, one := range s.added {
		if len(one.ids) > 0 {
			fmt.Fprintf(&out, "  %s\n", one)
		}
	}
	out.WriteString("\nPress Ctrl-C to stop it.\n")
	return out.String()
}
