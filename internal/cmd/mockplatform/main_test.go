package main

import (
	"bytes"
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

func TestParseFault(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]mockplatform.Fault{
		"503":                         {Status: 503, Times: 1},
		"503:2":                       {Status: 503, Times: 2},
		"429:0:get":                   {Status: 429, Times: mockplatform.Always, Method: "GET"},
		"after-500:1:POST:/keys":      {Status: 500, After: true, Times: 1, Method: "POST", Path: "/keys"},
		"half-400:1:PATCH":            {Status: 400, Half: true, Times: 1, Method: "PATCH"},
		"later-14s-504":               {Status: 504, Later: 14 * time.Second, Times: 1},
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

func TestParseRateLimit(t *testing.T) {
	t.Parallel()
	want := mockplatform.RateLimit{PerSecond: 10 / time.Minute.Seconds(), Window: time.Minute, RetryAfter: mockplatform.RetryAfterDate}
	o, err := parse([]string{"-retry-after", "date", "-rate-limit", "10/1m"}, io.Discard)
	if err != nil || o.behaviour.RateLimit != want {
		t.Errorf("got %+v and %v, want %+v", o, err, want)
	}
}

func TestBadFlags(t *testing.T) {
	t.Parallel()
	const (
		times  = "-fail: the number of requests must be whole, or 0 for all"
		later  = "-fail: later- needs a duration and a status, reset or hang, such as later-14s-504"
		counts = "-services and -pipes must be between 0 and 100000"
		rate   = "-rate-limit: the number must be between 0 and 1000000"
		window = "-rate-limit: must be a number per second such as 5, or a whole number and a duration such as 10/1m"
	)
	for _, row := range []struct {
		message   string
		arguments []string
	}{
		{`unexpected argument "stray": only flags are accepted`, []string{"stray"}},
		{"flag provided but not defined: -service (-h lists the flags)", []string{"-service", "5"}},
		{"-fail: must begin with reset, hang, cut or an HTTP status of at least 200", []string{"-fail", "100"}},
		{later, []string{"-fail", "later-504"}},
		{later, []string{"-fail", "later-14s-cut"}},
		{times, []string{"-fail", "503:x"}},
		{times, []string{"-fail", "503:-1"}},
		{"-fail: METHOD must be one of GET, POST, PATCH", []string{"-fail", "503:1:FROB"}},
		{"-fail: PATH must be part of a path, or a pattern such as /v1/*/services", []string{"-fail", "503:1:GET:/[a"}},
		{"-retry-after: must be one of seconds, date, reset, none", []string{"-retry-after", "soon"}},
		{"-patch-resets: must be one of none, top, nested, all", []string{"-patch-resets", "some"}},
		{"-patch-result: must be one of after, before, missing", []string{"-patch-result", "some"}},
		{"-hide: must have the form FIELD:FIELD=VALUE", []string{"-hide", "name:id"}},
		{counts, []string{"-services", "-5"}},
		{counts, []string{"-pipes", "100001"}},
		{"-latency, -lag, -step and -key-validity must be at least 0", []string{"-latency", "-5s"}},
		{rate, []string{"-rate-limit", "NaN"}},
		{rate, []string{"-rate-limit", "/1m"}},
		{window, []string{"-rate-limit", "10/-1m"}},
		{window, []string{"-rate-limit", "0/1m"}},
		{window, []string{"-rate-limit", "0.5/1m"}},
		{"cannot listen on -addr: ", []string{"-addr", "127.0.0.1:no-port"}},
		{"cannot read -seed /nowhere: ", []string{"-seed", "/nowhere"}},
		{"cannot write -env: open /nowhere/at/all: ", []string{"-env", "/nowhere/at/all"}},
	} {
		// A flag that is accepted by mistake serves until the context ends.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		var stdout bytes.Buffer
		err := run(ctx, row.arguments, &stdout, &stdout)
		cancel()
		if err == nil || !strings.Contains(err.Error(), row.message) || stdout.String() != "" {
			t.Errorf("%q: got %v, want %q, and printed %q", row.arguments, err, row.message, stdout.String())
		}
	}
}

// TestGuide has each flag and fault of the tables in the guide to modules offline.
// TestOfflineGuide of guidestest runs its commands.
func TestGuide(t *testing.T) {
	t.Parallel()
	const root = "../../../"
	guide := fileText(t, root+"templates/guides/offline.md")
	wantText(t, fileText(t, root+"Dockerfile"), `["/mockplatform", "-addr", "0.0.0.0:18080"]`)
	wantText(t, guide, "-p 127.0.0.1:18080:18080 ")
	firstColumn, code := regexp.MustCompile(`(?m)^\| ([^|]+) \|`), regexp.MustCompile("`([^`]+)`")
	found := 0
	for _, section := range []struct{ title, flag string }{
		{"Simulating failures", "-fail "},
		{"Other behaviors", ""},
	} {
		_, table, _ := strings.Cut(guide, "\n## "+section.title+"\n")
		table, _, _ = strings.Cut(table, "\n## ")
		for _, row := range firstColumn.FindAllStringSubmatch(table, -1) {
			for _, what := range code.FindAllStringSubmatch(row[1], -1) {
				found++
				if _, err := parse(strings.Fields(section.flag+what[1]), io.Discard); err != nil {
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
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, append([]string{"-env", filepath.Join(p.dir, "env")}, arguments...), stdout, stderr)
		ended <- errors.Join(err, stdout.Close(), stderr.Close())
	}()
	p.end = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() { _ = p.end() })
	for end := time.Now().Add(time.Minute); !strings.Contains(p.file("stdout"), "listens on"); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("does not listen: %s", p.file("stdout"))
		}
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

func TestFlags(t *testing.T) {
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
