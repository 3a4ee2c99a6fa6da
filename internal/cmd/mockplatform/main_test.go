package main

import (
	"context"
	"errors"
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

func TestFaultIsParsed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]mockplatform.Fault{
		"503":                         {Status: 503, Times: 1},
		"503:2":                       {Status: 503, Times: 2},
		"429:0:get":                   {Status: 429, Times: mockplatform.Always, Method: "GET"},
		"after-500:1:POST:/keys":      {Status: 500, After: true, Times: 1, Method: "POST", Path: "/keys"},
		"half-400:1:PATCH":            {Status: 400, Half: true, Times: 1, Method: "PATCH"},
		"later-14s-504":               {Status: 504, Later: 14 * time.Second, Times: 1},
		"after-page-403":              {Status: 403, Body: mockplatform.BodyHTML, After: true, Times: 1},
		"later-1m30s-hang::PATCH":     {Hang: true, Later: 90 * time.Second, Times: 1, Method: "PATCH"},
		"reset::PATCH":                {Reset: true, Times: 1, Method: "PATCH"},
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

func TestRateLimitIsParsed(t *testing.T) {
	t.Parallel()
	want := mockplatform.RateLimit{PerSecond: 10 / time.Minute.Seconds(), Window: time.Minute, RetryAfter: mockplatform.RetryAfterDate}
	o, err := parse([]string{"-retry-after", "date", "-rate-limit", "10/1m"}, io.Discard)
	if err != nil || o.behaviour.RateLimit != want {
		t.Errorf("got %+v and %v, want %+v", o, err, want)
	}
}

func TestBadFlagsAreRejected(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		message   string
		arguments []string
	}{
		{`unexpected argument "stray"`, []string{"stray"}},
		{"flag provided but not defined: -service (-h lists the flags)", []string{"-service", "5"}},
		{"-fail: must begin with reset, hang, cut or an HTTP status of at least 200", []string{"-fail", "100"}},
		{"-fail: later- needs a duration", []string{"-fail", "later-504"}},
		{"-fail: later- needs a duration", []string{"-fail", "later-14s-cut"}},
		{"-fail: the number of requests must be whole", []string{"-fail", "503:x"}},
		{"-fail: the number of requests must be whole", []string{"-fail", "503:-1"}},
		{"-fail: METHOD must be one of GET, POST, PATCH", []string{"-fail", "503:1:FROB"}},
		{"-fail: PATH must be part of a path", []string{"-fail", "503:1:GET:/[a"}},
		{"-patch-resets: must be one of none, top, nested, all", []string{"-patch-resets", "some"}},
		{"-hide: must have the form FIELD:FIELD=VALUE", []string{"-hide", "name:id"}},
		{"-services and -pipes must be between 0 and 100000", []string{"-services", "-5"}},
		{"-services and -pipes must be between 0 and 100000", []string{"-pipes", "100001"}},
		{"-latency, -lag, -step and -key-validity must be at least 0", []string{"-latency", "-5s"}},
		{"-rate-limit: the number must be between 0 and 1000000", []string{"-rate-limit", "NaN"}},
		{"-rate-limit: must be a number per second", []string{"-rate-limit", "10/-1m"}},
		{"-rate-limit: must be a number per second", []string{"-rate-limit", "0.5/1m"}},
		{"cannot listen on -addr: ", []string{"-addr", "127.0.0.1:no-port"}},
		{"cannot read -seed /nowhere: ", []string{"-seed", "/nowhere"}},
		{"cannot write -env: open /nowhere/at/all: ", []string{"-env", "/nowhere/at/all"}},
	} {
		// What is accepted by mistake ends when it says that it listens.
		ctx, cancel := context.WithCancel(t.Context())
		err := run(ctx, row.arguments, writer(func([]byte) { cancel() }), io.Discard)
		if err == nil || !strings.Contains(err.Error(), row.message) || ctx.Err() != nil {
			t.Errorf("%q: got %v, want %q before it listens", row.arguments, err, row.message)
		}
		cancel()
	}
}

// writer is told of each text that is written.
type writer func(text []byte)

func (w writer) Write(text []byte) (int, error) {
	w(text)
	return len(text), nil
}

// TestGuideNamesRealFlags has each flag and fault of the tables in the guide to modules offline.
// TestOfflineGuide of guidestest runs its commands.
func TestGuideNamesRealFlags(t *testing.T) {
	t.Parallel()
	guide := fileText(t, "../../../templates/guides/offline.md")
	found := 0
	for title, flag := range map[string]string{"Simulating failures": "-fail ", "Other behaviors": ""} {
		_, table, _ := strings.Cut(guide, "\n## "+title+"\n")
		table, _, _ = strings.Cut(table, "\n## ")
		for _, row := range regexp.MustCompile(`(?m)^\| ([^|]+) \|`).FindAllStringSubmatch(table, -1) {
			for _, what := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
				found++
				if _, err := parse(strings.Fields(flag+what[1]), io.Discard); err != nil {
					t.Errorf("%s: %v", what[1], err)
				}
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d flags and faults were found", found)
	}
}

func TestAddressThatOthersReach(t *testing.T) {
	t.Parallel()
	if p := start(t); p.file("stderr") != "" {
		t.Errorf("loopback: got %s", p.file("stderr"))
	}
	p := start(t, "-addr", "0.0.0.0:0")
	wantText(t, p.file("stderr"), "other machines can reach -addr 0.0.0.0:0,", "There, the provider needs allow_http.")
	wantText(t, p.env["DATAPLATFORM_BASE_URL"], "http://127.0.0.1:")
}

// program is a run of the program that ends with the test.
type program struct {
	*testing.T
	dir string // of the files that it writes to
	env map[string]string
	end func() error
}

func start(t *testing.T, arguments ...string) *program {
	t.Helper()
	p := &program{T: t, dir: t.TempDir(), env: map[string]string{}}
	stdout, errOut := os.Create(filepath.Join(p.dir, "stdout"))
	stderr, errErr := os.Create(filepath.Join(p.dir, "stderr"))
	errEnv := os.WriteFile(filepath.Join(p.dir, "env"), []byte(strings.Repeat("# an older run\n", 1000)), 0o644)
	if err := errors.Join(errOut, errErr, errEnv); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	listening, listens := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		out := io.MultiWriter(stdout, writer(func([]byte) { listens() })) // it says so first
		err := run(ctx, append([]string{"-env", filepath.Join(p.dir, "env")}, arguments...), out, stderr)
		ended <- errors.Join(err, stdout.Close(), stderr.Close())
	}()
	p.end = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = p.end() })
	select {
	case <-listening.Done():
	case err := <-ended:
		ended <- err
		t.Fatalf("does not listen: %v", err)
	}
	for _, line := range regexp.MustCompile(`(?m)^export (\w+)='(.*)'$`).FindAllStringSubmatch(p.file("env"), -1) {
		p.env[line[1]] = line[2]
	}
	return p
}

// file is what the program has written by now: to stdout, stderr or env.
func (p *program) file(name string) string {
	p.Helper()
	return fileText(p.T, filepath.Join(p.dir, name))
}

func (p *program) request(method, path, body string) *http.Request {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), method, p.env["DATAPLATFORM_BASE_URL"]+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.SetBasicAuth(p.env["DATAPLATFORM_KEY_ID"], p.env["DATAPLATFORM_KEY_SECRET"])
	return request
}

// send returns the body of a response with the wanted status.
func (p *program) send(status int, method, path, body string) string {
	p.Helper()
	return p.do(status, p.request(method, path, body))
}

func (p *program) do(status int, request *http.Request) string {
	p.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	if response.StatusCode != status {
		p.Errorf("%s %s: got %d %s, want %d", request.Method, request.URL, response.StatusCode, content, status)
	}
	return string(content)
}

const (
	services = "/v1/organizations/" + mockplatform.OrganizationID + "/services"
	scaling  = services + "/" + mockplatform.ServiceID + "/scaling"
	kafka    = services + "/" + mockplatform.ServiceID + "/pipes/" + mockplatform.KafkaPipeID
	keys     = "/v1/organizations/" + mockplatform.OrganizationID + "/keys"
)

func TestFlagsReachThePlatform(t *testing.T) {
	t.Parallel()
	p := start(t,
		"-journal", "-services", "5", "-pipes", "3", "-latency", "1ms", "-lag", "1ms", "-step", "1m", "-fail", "503:1:GET", "-sparse", "name", "-sparse-empty",
		"-hide", "endpoints:isPrimary=false", "-hide", "ipAccessList:iamRole=role:none", "-patch-result", "before", "-patch-resets", "all", "-moves-state", "-key-validity", "30m",
	)
	for variable, want := range map[string]string{
		"MOCKPLATFORM_PIPE_ID_4": mockplatform.PostgresPipeID,
		"MOCKPLATFORM_ALERT_ID":  mockplatform.AlertID,
	} {
		if p.env[variable] != want {
			t.Errorf("%s is %q, want %q", variable, p.env[variable], want)
		}
	}
	p.send(503, "GET", services, "")
	list := p.send(200, "GET", services, "")
	if strings.Count(list, `"numReplicas":`) != 8 || strings.Contains(list, `"name"`) || strings.Contains(list, `:false`) || strings.Count(list, `"endpoints"`) != 7 {
		t.Errorf("got %s", list)
	}
	wantText(t, p.send(200, "PATCH", scaling, `{"numReplicas":4}`), `"numReplicas":3`) // as it was
	created := p.send(200, "POST", keys, `{"name":"ci","roles":["admin"],"expireAt":"2099-01-01T00:00:00Z"}`)
	wantNoText(t, created, `"expireAt":"2099`)
	if err := p.end(); err != nil {
		t.Errorf("ended with %v", err)
	}
	wantText(t, p.file("stdout"),
		"\n  5 services  60000000-0000-4000-8000-000000000001 to 60000000-0000-4000-8000-000000000005\n"+
			"  3 pipes  70000000-0000-4000-8000-000000000001 to 70000000-0000-4000-8000-000000000003\n",
		`base_url            = "http://127.0.0.1:`, `key_secret          = "demo-key-secret"`,
		"GET   "+services+" 503\n", "GET   "+services+" 200\n", "PATCH "+scaling+" 200\n  {\"numReplicas\":4}\n",
	)
}

func TestJournalHasNoSecrets(t *testing.T) {
	t.Parallel()
	p := start(t, "-journal")
	p.send(200, "PATCH", kafka, `{"source":{"kafka":{"iamRole":"r","credentials":{"username":"canary","password":"canary"}}}}`)
	path := strings.ReplaceAll(kafka, mockplatform.KafkaPipeID, mockplatform.ObjectStoragePipeID)
	p.send(200, "PATCH", path, `{"source":{"objectStorage":{"connectionString":"canary","accessKey":{"accessKeyId":"canary","secretKey":"canary"}}}}`)
	p.send(400, "PATCH", kafka, `{"source":"canary`)
	p.send(200, "POST", keys, `{"name":"<ci>","roles":["admin"],"hashData":{"keyIdHash":"canary","keyIdSuffix":"canary","keySecretHash":"canary"}}`)
	wantText(t, p.file("stdout"),
		`  {"source":{"kafka":{"credentials":{"password":"***","username":"***"},"iamRole":"r"}}}`+"\n",
		`"connectionString":"***"`, "  (17 bytes that are not JSON)\n", `"name":"<ci>"`,
	)
	wantNoText(t, p.file("stdout"), "canary")
}

func TestStopWhileARequestHangs(t *testing.T) {
	t.Parallel()
	p := start(t, "-fail", "after-hang:1:POST")
	request := p.request("POST", keys, `{"name":"ci","roles":["admin"]}`)
	failed := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(request) //nolint:bodyclose // there is no response
		failed <- err
	}()
	for tries := 0; !strings.Contains(p.send(200, "GET", "/console/keys", ""), `"ci"`); tries++ {
		if tries > 10_000 { // the request hangs once the key is created
			t.Fatal("the request was not carried out")
		}
	}
	if err := p.end(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if err := <-failed; err == nil {
		t.Error("got a response")
	}
}
