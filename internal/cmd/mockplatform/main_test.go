package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

func TestBadFlagsAreRejected(t *testing.T) {
	t.Parallel()
	for arguments, message := range map[string]string{
		"stray":                   `unexpected argument "stray"`,
		"-service 5":              "flag provided but not defined: -service (-h lists the flags)",
		"-patch-resets some":      "-patch-resets: must be all",
		"-rate-limit NaN":         "-rate-limit: must be a whole number",
		"-rate-limit 10/-1m":      "-rate-limit: must be a whole number",
		"-addr 127.0.0.1:no-port": "cannot listen on -addr: ",
		"-seed /nowhere":          "cannot read -seed /nowhere: ",
		"-seed .":                 "credentials.json",
		"-env /nowhere/at/all":    "cannot write -env: open /nowhere/at/",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // what is accepted by mistake ends at once
		if err := run(ctx, strings.Fields(arguments), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: got %v, want %q", arguments, err, message)
		}
	}
}

// TestFaultsOfTheHelp posts the faults that -h shows.
func TestFaultsOfTheHelp(t *testing.T) {
	t.Parallel()
	var stdout bytes.Buffer
	_, err := parse([]string{"-h"}, &stdout)
	found := regexp.MustCompile(`(?m)^ {2}(\S+:\S+) `).FindAllStringSubmatch(stdout.String(), -1)
	if !errors.Is(err, flag.ErrHelp) || len(found) < 5 {
		t.Fatalf("got %v, and the faults %q", err, found)
	}
	platform := mockplatform.New(mockplatform.DefaultSeed())
	for _, fault := range found {
		response := httptest.NewRecorder()
		platform.Console().ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/console/faults", strings.NewReader(fault[1])))
		if response.Code >= 300 {
			t.Errorf("%s: %d %s", fault[1], response.Code, response.Body)
		}
	}
}

// TestEnvironmentFile runs the program with a seed of the user's own: its secrets are in a file that
// nobody else can read, and nowhere else.
func TestEnvironmentFile(t *testing.T) {
	t.Parallel()
	env := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(env, []byte(strings.Repeat("# an older run\n", 1000)), 0o644); err != nil {
		t.Fatal(err)
	}
	opened := env + " of another" // the same file: whoever has opened it reads no key
	if err := os.Link(env, opened); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // it ends once it has said what it has to say
	if err := run(ctx, []string{"-addr", "0.0.0.0:0", "-seed", "../../mockplatform/seed", "-env", env}, &stdout, &stderr); err != nil {
		t.Errorf("ended with %v", err)
	}
	terraformtest.WantText(t, stdout.String(), "export DATAPLATFORM_BASE_URL='http://127.0.0.1:", "see ../../mockplatform/seed/credentials.json")
	terraformtest.WantNoText(t, stdout.String(), "demo-")
	terraformtest.WantText(t, stderr.String(), "other machines can reach -addr 0.0.0.0:0,", "There, the provider needs allow_http.")
	content := terraformtest.FileText(t, env)
	terraformtest.WantText(t, content, "export DATAPLATFORM_KEY_SECRET='demo-key-secret'", "export MOCKPLATFORM_PIPE_ID_4='"+mockplatform.PostgresPipeID+"'")
	terraformtest.WantNoText(t, content, "# an older run")
	terraformtest.WantNoText(t, terraformtest.FileText(t, opened), "demo-key-secret")
	if info, err := os.Stat(env); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v", info, err)
	}
}
