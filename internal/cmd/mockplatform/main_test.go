package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
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
		have, err := parseFault(value)
		if err != nil || !reflect.DeepEqual(have, want) {
			t.Errorf("%s: have %+v and %v", value, have, err)
		}
	}
	for _, value := range []string{"", "teapot", "999", "503:x", "503:-1", "after-", "503:1:FROB"} {
		if _, err := parseFault(value); err == nil {
			t.Errorf("%q: no error", value)
		}
	}
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]string{
		{"-fail", "x"}, {"-retry-after", "soon"}, {"-error-body", "xml"}, {"-patch-resets", "some"}, {"stray"},
		{"-services", "-5"}, {"-pipes", "-1"}, {"-latency", "-5s"},
		{"-rate-limit", "-1"}, {"-rate-limit", "NaN"}, {"-rate-limit", "Inf"},
		{"-seed", "/nowhere"}, {"-addr", "nonsense"}, {"-env", "/nowhere/at/all"},
	} {
		// Flags that were let through would serve until the context ends.
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		err := run(ctx, arguments, io.Discard, io.Discard)
		cancel()
		if err == nil {
			t.Errorf("%q: no error", arguments)
		}
	}
	if err := run(t.Context(), []string{"-h"}, io.Discard, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("help: %v", err)
	}
}

// output is a buffer that the program may write to while a test reads it.
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

// program runs it until the test is over.
type program struct {
	*testing.T
	stdout *output
	env    map[string]string
	end    func() error
}

func start(t *testing.T, arguments ...string) *program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "env")
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{T: t, stdout: &output{}, env: map[string]string{}}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, append([]string{"-env", file}, arguments...), p.stdout, io.Discard) }()
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
		t.Errorf("have %d %s", status, body)
	}
	status, body := p.get(path)
	if status != 200 || strings.Count(body, `"numReplicas":`) != 8 || !strings.Contains(body, `"numReplicas":3.0`) ||
		strings.Contains(body, `"name"`) || strings.Contains(body, `"privateEndpointIds":[]`) || strings.Contains(body, `:false`) {
		t.Errorf("have %d %s", status, body)
	}
	if err := p.end(); err != nil {
		t.Errorf("ended with %v", err)
	}
	for _, line := range []string{
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
		t.Errorf("have %d", status)
	}
}

func TestEndWhileARequestHangs(t *testing.T) {
	t.Parallel()
	p := start(t, "-fail", "hang")
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
	time.Sleep(50 * time.Millisecond) // not needed to pass, but to hang
	if err := p.end(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("have an answer")
	}
}

func TestPrinter(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	printLine := printer(&out)
	printLine(mockplatform.Request{Method: "GET", Path: "/a", Query: map[string][]string{"filter": {"x=y"}}, Status: 200})
	printLine(mockplatform.Request{Method: "PATCH", Path: "/b"})
	for _, line := range []string{" GET   /a?filter=x%3Dy 200\n", " PATCH /b (no answer)\n"} {
		if !strings.Contains(out.String(), line) {
			t.Errorf("%q is missing in %s", line, out.String())
		}
	}
}
