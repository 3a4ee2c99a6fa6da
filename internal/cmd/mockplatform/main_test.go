package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestParseFault(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]mockplatform.Fault{
		"503":                         {Status: 503, Times: 1},
		"503:2":                       {Status: 503, Times: 2},
		"429:0:get":                   {Status: 429, Times: mockplatform.Always, Method: "GET"},
		"after-500:1:POST:/keys":      {Status: 500, After: true, Times: 1, Method: "POST", Path: "/keys"},
		"reset::PATCH":                {Reset: true, Times: 1, Method: "PATCH"},
		"after-reset":                 {Reset: true, Times: 1, After: true},
		"hang:1::/v1/*/services":      {Hang: true, Times: 1, Path: "/v1/*/services"},
		"cut":                         {Cut: mockplatform.CutBody, Times: 1, CutBytes: -20},
		"404:1:GET:/with:colons:here": {Status: 404, Times: 1, Method: "GET", Path: "/with:colons:here"},
	} {
		got, err := parseFault(value)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v and %v", value, got, err)
		}
	}
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	busy, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = busy.Close() }()
	// A seed whose only organization has no service.
	empty := t.TempDir()
	for name, content := range map[string]string{
		"credentials.json":                  `{"keyId":"k","keySecret":"s","accessToken":"t"}`,
		"organizations/a/organization.json": `{"id":"` + mockplatform.OrganizationID + `"}`,
	} {
		file := filepath.Join(empty, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(empty, "credentials.json")
	const (
		fault    = "must begin with reset, hang, cut or an HTTP status of at least 200"
		times    = "the number of requests must be whole, or 0 for all"
		count    = "must be a whole number between 0 and 100000"
		duration = "must be a duration of at least 0, such as 200ms"
		rate     = "must be a number between 0.001 and 1000000, or 0 for no limit"
		address  = "must be HOST:PORT with a port between 0 and 65535, such as 127.0.0.1:8080"
		prefix   = "must be a path that needs no escapes, such as /mgmt"
		path     = "-sparse must be the path of a field in a response, such as numReplicas or source.kafka.iamRole; no response has "
	)
	for _, row := range []struct {
		code      int
		message   string
		arguments []string
	}{
		{2, `unexpected argument "stray": only flags are accepted`, []string{"stray"}},
		{2, `unexpected argument "false": only flags are accepted`, []string{"-quiet", "false"}},
		{2, "flag provided but not defined: -service (-h lists the flags)", []string{"-service", "5"}},
		{2, "flag needs an argument: -seed", []string{"-seed"}},
		{2, "-fail: " + fault, []string{"-fail", ""}},
		{2, "-fail: " + fault, []string{"-fail", "teapot"}},
		{2, "-fail: " + fault, []string{"-fail", "999"}},
		{2, "-fail: " + fault, []string{"-fail", "100"}},
		{2, "-fail: " + fault, []string{"-fail", "after-"}},
		{2, "-fail: " + times, []string{"-fail", "503:x"}},
		{2, "-fail: " + times, []string{"-fail", "503:-1"}},
		{2, "-fail: METHOD must be one of GET, POST, PATCH", []string{"-fail", "503:1:FROB"}},
		{2, "-fail: PATH must be part of a path, or a pattern such as /v1/*/services", []string{"-fail", "503:1:GET:/[a"}},
		{2, "-retry-after: must be one of seconds, date, none", []string{"-rate-limit", "1", "-retry-after", "soon"}},
		{2, "-retry-after requires -rate-limit", []string{"-retry-after", "date"}},
		{2, "-error-body: must be one of json, html, text, ", []string{"-error-body", "xml"}},
		{2, "-patch-resets: must be one of none, top, nested, all", []string{"-patch-resets", "some"}},
		{2, "-floats and -exponents cannot be combined", []string{"-floats", "-exponents"}},
		{2, "-services: " + count, []string{"-services", "-5"}},
		{2, "-services: " + count, []string{"-services", "1.5"}},
		{2, "-services: " + count, []string{"-services", "100001"}},
		{2, "-pipes: " + count, []string{"-pipes", "-1"}},
		{2, "-latency: " + duration, []string{"-latency", "-5s"}},
		{2, "-latency: " + duration, []string{"-latency", "5"}},
		{2, "-rate-limit: " + rate, []string{"-rate-limit", "-1"}},
		{2, "-rate-limit: " + rate, []string{"-rate-limit", "NaN"}},
		{2, "-rate-limit: " + rate, []string{"-rate-limit", "Inf"}},
		{2, "-rate-limit: " + rate, []string{"-rate-limit", "1e-9"}},
		{2, "-rate-limit: " + rate, []string{"-rate-limit", "many"}},
		{2, "-addr: " + address, []string{"-addr", "nonsense"}},
		{2, "-addr: " + address, []string{"-addr", ""}},
		{2, "-addr: " + address, []string{"-addr", "127.0.0.1:65536"}},
		{1, "cannot listen on -addr: ", []string{"-addr", busy.Addr().String()}},
		{2, "-prefix: " + prefix, []string{"-prefix", "a b"}},
		{2, "-prefix: " + prefix, []string{"-prefix", "http://example.com"}},
		{2, "-prefix: " + prefix, []string{"-prefix", "a/../b"}},
		{2, "-alerts-prefix: " + prefix, []string{"-alerts-prefix", "alerts?all"}},
		{2, path + `""`, []string{"-sparse", ""}},
		{2, path + `"nonsense"`, []string{"-sparse", "name", "-sparse", "nonsense"}},
		{2, path + `"settings.nonsense"`, []string{"-sparse", "settings.nonsense"}},
		{2, path + `"name."`, []string{"-sparse", "name."}},
		{2, "-seed: must not be empty", []string{"-seed", ""}},
		{2, "cannot read -seed /nowhere: no such file or directory", []string{"-seed", "/nowhere"}},
		{2, "cannot read -seed " + file + ": not a directory", []string{"-seed", file}},
		{2, "-pipes requires a service in the first organization of -seed", []string{"-seed", empty, "-pipes", "1"}},
		{2, "-env: must not be empty", []string{"-env", ""}},
		{2, "cannot write -env: open /nowhere/at/all: no such file or directory", []string{"-env", "/nowhere/at/all"}},
	} {
		// A flag that is accepted by mistake serves until the context ends.
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		var stdout, stderr output
		err := run(ctx, row.arguments, &stdout, &stderr)
		cancel()
		if err == nil || !strings.Contains(err.Error(), row.message) || exitCode(err) != row.code {
			t.Errorf("%q: got %v and exit code %d, want %q and %d", row.arguments, err, exitCode(err), row.message, row.code)
		}
		if printed := stdout.String() + stderr.String(); printed != "" {
			t.Errorf("%q: printed %s", row.arguments, printed)
		}
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	var stdout output
	err := run(t.Context(), []string{"-h"}, &stdout, io.Discard)
	if !errors.Is(err, flag.ErrHelp) || exitCode(err) != 0 {
		t.Errorf("got %v and exit code %d", err, exitCode(err))
	}
	if !strings.Contains(stdout.String(), "-sparse path\n") {
		t.Errorf("got %s", stdout.String())
	}
}

func TestAddressThatOthersReach(t *testing.T) {
	t.Parallel()
	if p := start(t); p.stderr.String() != "" {
		t.Errorf("loopback: got %s", p.stderr)
	}
	p := start(t, "-addr", "0.0.0.0:0")
	if !strings.Contains(p.stderr.String(), "other machines can reach -addr 0.0.0.0:0,") {
		t.Errorf("got %q", p.stderr)
	}
	if !strings.HasPrefix(p.env["DATAPLATFORM_BASE_URL"], "http://127.0.0.1:") {
		t.Errorf("got base URL %q", p.env["DATAPLATFORM_BASE_URL"])
	}
}

// output is a buffer that a test can read while the program writes to it.
type output struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}

// program is a run of the program that ends with the test.
type program struct {
	*testing.T
	stdout, stderr *output
	env            map[string]string
	end            func() error
}

func start(t *testing.T, arguments ...string) *program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "env")
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{T: t, stdout: &output{}, stderr: &output{}, env: map[string]string{}}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, append([]string{"-env", file}, arguments...), p.stdout, p.stderr) }()
	p.end = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = p.end() })
	for range 1000 {
		if strings.Contains(p.stdout.String(), "listens on") {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range regexp.MustCompile(`(?m)^export (\w+)='(.*)'$`).FindAllStringSubmatch(string(content), -1) {
		p.env[line[1]] = line[2]
	}
	return p
}

func (p *program) get(path string) (status int, body string) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, p.env["DATAPLATFORM_BASE_URL"]+path, http.NoBody)
	if err != nil {
		p.Fatal(err)
	}
	request.SetBasicAuth(p.env["DATAPLATFORM_KEY_ID"], p.env["DATAPLATFORM_KEY_SECRET"])
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	return response.StatusCode, string(content)
}

func TestRun(t *testing.T) {
	t.Parallel()
	p := start(t,
		"-journal", "-prefix", "mgmt", "-alerts-prefix", "/alerting/", "-services", "5", "-pipes", "3",
		"-fail", "503:1:GET", "-error-body", "html", "-floats", "-sparse", "name", "-sparse-empty", "-latency", "1ms",
	)
	for variable, suffix := range map[string]string{
		"DATAPLATFORM_BASE_URL": "/mgmt", "DATAPLATFORM_ALERTS_BASE_URL": "/alerting",
		"DATAPLATFORM_ORGANIZATION_ID": mockplatform.OrganizationID, "DATAPLATFORM_KEY_ID": "demo-key-id",
		"DATAPLATFORM_KEY_SECRET": "demo-key-secret", "DATAPLATFORM_ALERTS_ACCESS_TOKEN": "demo-alerts-token",
		"MOCKPLATFORM_SERVICE_ID": mockplatform.ServiceID, "MOCKPLATFORM_PIPE_ID_4": mockplatform.PostgresPipeID,
		"MOCKPLATFORM_ALERT_ID": mockplatform.AlertID,
	} {
		if !strings.HasSuffix(p.env[variable], suffix) {
			t.Errorf("%s is %q", variable, p.env[variable])
		}
	}
	path := "/v1/organizations/" + mockplatform.OrganizationID + "/services"
	if status, body := p.get(path); status != 503 || !strings.HasPrefix(body, "<!DOCTYPE html>") {
		t.Errorf("got %d %s", status, body)
	}
	status, body := p.get(path)
	if status != 200 || strings.Count(body, `"numReplicas":`) != 8 || !strings.Contains(body, `"numReplicas":3.0`) ||
		strings.Contains(body, `"name"`) || strings.Contains(body, `"privateEndpointIds":[]`) || strings.Contains(body, `:false`) {
		t.Errorf("got %d %s", status, body)
	}
	if err := p.end(); err != nil {
		t.Errorf("ended with %v", err)
	}
	for _, line := range []string{
		"\n  5 services service-00001 to service-00005   60000000-0000-4000-8000-000000000001 to 60000000-0000-4000-8000-000000000005\n" +
			"  3 pipes pipe-00001 to pipe-00003   70000000-0000-4000-8000-000000000001 to 70000000-0000-4000-8000-000000000003\n",
		`base_url            = "http://127.0.0.1:`, `key_secret          = "demo-key-secret"`,
		"GET   /mgmt" + path + " 503\n", "GET   /mgmt" + path + " 200\n",
	} {
		if !strings.Contains(p.stdout.String(), line) {
			t.Errorf("%q is missing in\n%s", line, p.stdout)
		}
	}
}

func TestRateLimitFlags(t *testing.T) {
	t.Parallel()
	p := start(t, "-quiet", "-rate-limit", "0.01", "-retry-after", "none", "-patch-resets", "all", "-exponents",
		"-unknown-members", "-shuffle", "-moves-state")
	if strings.Count(p.stdout.String(), "\n") != 1 {
		t.Errorf("quiet: %s", p.stdout)
	}
	p.get("/")
	if status, _ := p.get("/"); status != 429 {
		t.Errorf("got %d", status)
	}
}

func TestStopWhileARequestHangs(t *testing.T) {
	t.Parallel()
	p := start(t, "-fail", "hang", "-pipes", "1")
	if line := "\n  1 pipe pipe-00001   70000000-0000-4000-8000-000000000001\n"; !strings.Contains(p.stdout.String(), line) {
		t.Errorf("%q is missing in\n%s", line, p.stdout)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.env["DATAPLATFORM_BASE_URL"], http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		response, err := new(http.Client).Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		failed <- err
	}()
	time.Sleep(50 * time.Millisecond) // so that the request hangs, which the test does not need to pass
	if err := p.end(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("got a response")
	}
}

func TestPrinter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printLine := printer(&out)
	printLine(mockplatform.Request{Method: "GET", Path: "/a", Query: map[string][]string{"filter": {"x=y"}}, Status: 200})
	printLine(mockplatform.Request{Method: "PATCH", Path: "/b"})
	for _, line := range []string{" GET   /a?filter=x%3Dy 200\n", " PATCH /b (no response)\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is missing in %s", line, out.String())
		}
	}
}

func TestSummaryOfAnObjectWithoutName(t *testing.T) {
	t.Parallel()
	text := summarize(&net.TCPAddr{}, mockplatform.Seed{
		Organizations: []mockplatform.Organization{{}}, Alerts: []mockplatform.Document{{"id": "a"}},
	}).welcome(false)
	if !strings.Contains(text, fmt.Sprintf("\n  %-28s a\n", "alert")) {
		t.Errorf("got %s", text)
	}
}
