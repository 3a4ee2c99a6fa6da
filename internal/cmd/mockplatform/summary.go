package main

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// setting is an environment variable: a setting of the provider, or the ID of an object.
type setting struct {
	variable, value string
	object          string // its kind and name
	isCredential    bool
}

// summarize returns the settings in the order of the provider's documentation, and the objects.
func summarize(addr net.Addr, seed mockplatform.Seed) []setting {
	root, first := "http://"+reachable(addr), seed.Organizations[0]
	settings := []setting{
		{variable: "DATAPLATFORM_BASE_URL", value: root},
		{variable: "DATAPLATFORM_ORGANIZATION_ID", value: first.ID},
		{variable: "DATAPLATFORM_KEY_ID", value: seed.KeyID, isCredential: true},
		{variable: "DATAPLATFORM_KEY_SECRET", value: seed.KeySecret, isCredential: true},
		{variable: "DATAPLATFORM_ALERTS_BASE_URL", value: root},
		{variable: "DATAPLATFORM_ALERTS_ACCESS_TOKEN", value: seed.AccessToken, isCredential: true},
	}
	// The first variable of a kind is plain, the others end in _2, _3 and so on.
	add := func(kind, variable string, docs []mockplatform.Document) {
		for i, doc := range docs {
			one := setting{variable: variable, value: fmt.Sprint(doc["id"]), object: fmt.Sprint(kind, " ", doc["name"])}
			if i > 0 {
				one.variable = fmt.Sprintf("%s_%d", variable, i+1)
			}
			settings = append(settings, one)
		}
	}
	add("service", "MOCKPLATFORM_SERVICE_ID", first.Services)
	add("pipe", "MOCKPLATFORM_PIPE_ID", first.Pipes)
	add("alert", "MOCKPLATFORM_ALERT_ID", seed.Alerts)
	return settings
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

// environment returns all settings as shell exports.
func environment(settings []setting) string {
	var out strings.Builder
	for _, one := range settings {
		out.WriteString(one.export())
	}
	return out.String()
}

func (s setting) export() string {
	return fmt.Sprintf("export %s='%s'\n", s.variable, strings.ReplaceAll(s.value, "'", `'\''`))
}

// welcome returns the text for the terminal. The built-in credentials are public; of those in a
// directory of the user's own it says only where they are.
func welcome(settings []setting, seedDirectory string) string {
	var exports, objects strings.Builder
	for _, one := range settings {
		switch {
		case one.object != "":
			fmt.Fprintf(&objects, "  %-28s %s\n", one.object, one.value)
		case !one.isCredential || seedDirectory == "":
			exports.WriteString(one.export())
		}
	}
	if seedDirectory != "" {
		fmt.Fprintf(&exports, "# Key and access token: see %s, or use -env FILE.\n", filepath.Join(seedDirectory, "credentials.json"))
	}
	return fmt.Sprintf("The fake platform listens on %s. Settings of the provider:\n\n%s\nObjects:\n%s\nPress Ctrl-C to stop it.\n",
		settings[0].value, exports.String(), objects.String())
}
