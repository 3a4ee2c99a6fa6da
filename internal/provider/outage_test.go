package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// crowd is a configuration of many pipes and services, and a platform that has
// them.
type crowd struct {
	*fixture
	pipes, services []string
}

func newCrowd(t *testing.T, n int) *crowd {
	f := newFixture(t)
	return &crowd{f, f.AddPipes(mockplatform.ServiceID, n), f.AddServices(mockplatform.OrganizationID, n)}
}

func idList(ids []string) string { return `["` + strings.Join(ids, `", "`) + `"]` }

func (c *crowd) config(name string) string {
	return fmt.Sprintf(`
resource "dataplatform_pipe" "all" {
  for_each   = toset(%s)
  service_id = %q
  pipe_id    = each.value
  name       = %q
}
resource "dataplatform_service_scaling" "all" {
  for_each             = toset(%s)
  service_id           = each.value
  idle_timeout_minutes = 11
}
`, idList(c.pipes), mockplatform.ServiceID, name, idList(c.services))
}

// outcome is what one command printed and how long it took.
type outcome struct {
	out      string
	errors   [][]string // the lines of each, with the seven that are Terraform's
	requests int
	took     time.Duration
	ok       bool
}

// measure runs a command, and takes apart what it prints.
func (w *workspace) measure(args ...string) outcome {
	w.t.Helper()
	before := len(w.Requests())
	begun := time.Now()
	out, err := w.command(w.t.Context(), append(args, "-no-color", "-input=false")...).CombinedOutput()
	o := outcome{out: string(out), took: time.Since(begun), requests: len(w.Requests()) - before, ok: err == nil}
	for _, one := range strings.Split(o.out, "\nError: ")[1:] {
		one, _, _ = strings.Cut(one, "\nWarning: ")
		// The empty line before it is Terraform's too.
		o.errors = append(o.errors, strings.Split("\nError: "+strings.TrimSpace(one), "\n"))
	}
	return o
}

// wantBrief checks that each object has one error of at most twelve lines, but
// for a few that tell the story.
func (o outcome) wantBrief(t *testing.T, objects, stories int, story string) {
	t.Helper()
	long, told, lines := 0, 0, 0
	for _, e := range o.errors {
		lines += len(e)
		text := folded(strings.Join(e, "\n"))
		isStory := !strings.HasSuffix(strings.TrimSuffix(text, " It is not known whether the change was applied."), " has the details.")
		if isStory {
			told++
		}
		if len(e) > 12 && !isStory { // with the host, the request ID and the reference
			long++
			if long == 1 {
				t.Errorf("%d lines:\n%s", len(e), strings.Join(e, "\n"))
			}
		}
	}
	t.Logf("%s, %d requests, %d errors, %d lines, %d in full", o.took.Round(100*time.Millisecond), o.requests, len(o.errors), lines, told)
	if !o.failsFor(t, objects) || told < 1 || told > stories {
		t.Errorf("%d errors for %d objects, %d in full:\n%.3000s", len(o.errors), objects, told, o.out)
	}
	wantText(t, folded(o.out), story)
}

// failsFor reports whether the run failed with an error for each object, or for
// some of them where Terraform stops at the first ones, as from 1.14 on.
func (o outcome) failsFor(t *testing.T, objects int) bool {
	t.Helper()
	program := programUnder(t)
	stopsEarly := !program.openTofu && !older(program.version, "1.14")
	n := len(o.errors)
	return !o.ok && (n == objects || stopsEarly && n > 0 && n < objects)
}

// crowdSize is the number of objects of each kind. CROWD=300 with -v logs what
// outages cost a large configuration.
func crowdSize() int {
	if n, err := strconv.Atoi(os.Getenv("CROWD")); err == nil {
		return n
	}
	return 40
}

// crowdTimes are the retry_timeout and the request_timeout that go with it.
func crowdTimes() (retry, request string) {
	if crowdSize() > 40 {
		return "8s", "2s"
	}
	return "2s", "500ms"
}

// settings is a provider block without an address.
func crowdProvider(url, secret, more string) string {
	return fmt.Sprintf(`%s
provider "dataplatform" {
  base_url        = %q
  organization_id = %q
  key_id          = "demo-key-id"
  key_secret      = %q
  %s
}
`, plainProvider, url, mockplatform.OrganizationID, secret, more)
}

// TestOutages plans many objects while nothing works, in each way in which that
// can be.
func TestOutages(t *testing.T) {
	t.Parallel()
	n := crowdSize()
	retry, request := crowdTimes()
	always := func(f mockplatform.Fault) *mockplatform.Fault { f.Times = mockplatform.Always; return &f }
	for _, test := range []struct {
		name     string
		fault    *mockplatform.Fault
		secret   string
		settings string
		requests int
		stories  int
		story    string
	}{
		{"refused", nil, "demo-key-secret", `retry_timeout = "` + retry + `"`, 0, 20, "connection refused"},
		{"503", always(mockplatform.Fault{Status: 503, Message: strings.Repeat("a long story ", 30)}), "demo-key-secret", `retry_timeout = "` + retry + `"`, 3 * n, 20, "HTTP 503 Service Unavailable"},
		{"black hole", always(mockplatform.Fault{Hang: true}), "demo-key-secret", `retry_timeout = "` + retry + `"
  request_timeout = "` + request + `"`, 3 * n, 20, "no response within "},
		{"wrong secret", &mockplatform.Fault{Operation: "none"}, "wrong-secret", `retry_timeout = "` + retry + `"`, 10, 1, "Check key_id and key_secret. The key may be wrong"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCrowd(t, n)
			url := c.url
			if test.fault != nil {
				c.Inject(*test.fault)
			} else {
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				url = "http://" + listener.Addr().String()
				_ = listener.Close()
			}
			o := c.workspace(crowdProvider(url, test.secret, test.settings) + c.config("renamed")).measure("plan")
			o.wantBrief(t, 2*n, test.stories, test.story)
			if o.requests > test.requests {
				t.Errorf("%d requests", o.requests)
			}
		})
	}
}

// Nothing set at all is one error of the provider.
func TestNothingSet(t *testing.T) {
	c := newCrowd(t, 40)
	o := c.workspace(plainProvider + `provider "dataplatform" {}` + c.config("renamed")).measure("plan")
	if o.ok || len(o.errors) != 1 {
		t.Errorf("%d errors:\n%s", len(o.errors), o.out)
	}
	t.Logf("%d lines", len(o.errors[0]))
	for _, s := range providerSettings {
		if s.needed {
			wantText(t, o.out, s.name, "DATAPLATFORM_"+strings.ToUpper(s.name))
		}
	}
}

// Each object says in one short sentence all that it misses.
func TestSettingsMissing(t *testing.T) {
	c := newCrowd(t, 40)
	o := c.workspace(plainProvider + `provider "dataplatform" { alerts_access_token = "x" }` + c.config("renamed")).measure("plan")
	if !o.failsFor(t, 80) {
		t.Errorf("%d errors:\n%s", len(o.errors), o.out)
	}
	lines := 0
	for _, e := range o.errors {
		lines += len(e)
		if len(e) > 11 {
			t.Fatalf("%d lines:\n%s", len(e), strings.Join(e, "\n"))
		}
	}
	t.Logf("%d lines for %d objects, such as\n%s", lines, len(o.errors), strings.Join(o.errors[0], "\n"))
}

// TestDeadEndpoint has one pipe among many whose endpoint never responds.
func TestDeadEndpoint(t *testing.T) {
	n := crowdSize()
	retry, request := crowdTimes()
	for _, parallelism := range []string{"1", "10"} {
		t.Run(parallelism, func(t *testing.T) {
			c := newCrowd(t, n)
			c.Inject(mockplatform.Fault{Path: c.pipes[n/2], Hang: true, Times: mockplatform.Always})
			o := c.workspace(crowdProvider(c.url, "demo-key-secret", `retry_timeout = "`+retry+`"
  request_timeout = "`+request+`"`)+c.config("renamed")).measure("plan", "-parallelism="+parallelism)
			t.Logf("%s, %d requests", o.took, o.requests)
			if len(o.errors) != 1 || !strings.Contains(folded(o.out), "pipe "+c.pipes[n/2]) {
				t.Errorf("%d errors:\n%.3000s", len(o.errors), o.out)
			}
		})
	}
}

// TestOutageInTheMiddle begins in the middle of many updates and ends within
// retry_timeout: no update is lost and none is made twice.
func TestOutageInTheMiddle(t *testing.T) {
	length := 2 * time.Second
	if crowdSize() > 40 {
		length = 5 * time.Second
	}
	for _, kind := range []string{"503", "refused", "hang"} {
		t.Run(kind, func(t *testing.T) {
			c := newCrowd(t, crowdSize())
			gateway := newGateway(t, c.Server)
			w := c.workspace(crowdProvider("http://"+gateway.address, "demo-key-secret", "retry_timeout = \"30s\"\n  request_timeout = \"1s\"") + c.config("renamed"))
			go func() {
				for len(c.RequestsOf(mockplatform.UpdatePipe)) < len(c.pipes)/2 {
					time.Sleep(5 * time.Millisecond)
				}
				gateway.fail(kind)
				time.Sleep(length)
				gateway.fail("")
			}()
			o := w.measure("apply", "-auto-approve")
			if !o.ok {
				t.Fatalf("%.3000s", o.out)
			}
			sent := map[string]int{}
			for _, r := range c.Requests() {
				if r.Method == "PATCH" {
					sent[r.Path]++
				}
			}
			for path, n := range sent {
				if n != 1 {
					t.Errorf("%d updates of %s", n, path)
				}
			}
			t.Logf("%s, %d requests, %d objects updated", o.took, o.requests, len(sent))
			if want := len(c.pipes) + len(c.services); len(sent) != want {
				t.Errorf("%d objects updated, want %d", len(sent), want)
			}
		})
	}
}

// A run that stands says why in its log, and one that doesn't says nothing.
func TestLongWaitIsLogged(t *testing.T) {
	c := newCrowd(t, 1)
	w := c.workspace(crowdProvider(c.url, "demo-key-secret", `retry_timeout = "30s"`) + c.config("renamed"))
	w.setenv("TF_LOG_PROVIDER=WARN")
	const line = "Data Platform request"
	if o := w.measure("plan"); !o.ok || strings.Contains(o.out, line) {
		t.Error(o.out)
	}
	c.Inject(mockplatform.Fault{Status: 503, RetryAfter: 12 * time.Second, Path: "/pipes/"})
	o := w.measure("plan")
	if n := strings.Count(o.out, line); !o.ok || n != 1 {
		t.Errorf("%d lines:\n%s", n, o.out)
	}
	wantText(t, o.out, line+" is waiting to retry; the last failure was: HTTP 503, Retry-After 12s", `operation="read pipe"`)
}

// A control character in TF_APPEND_USER_AGENT is told once and at once.
func TestUserAgentThatNoHeaderCarries(t *testing.T) {
	c := newCrowd(t, 5)
	w := c.workspace(c.provider() + c.config("renamed")).setenv("TF_APPEND_USER_AGENT=pipeline\n7")
	o := w.measure("plan")
	if o.ok || len(o.errors) != 1 || o.requests != 0 {
		t.Errorf("%d errors, %d requests:\n%s", len(o.errors), o.requests, o.out)
	}
	wantText(t, folded(o.out), "TF_APPEND_USER_AGENT must not contain a line break or another control character")
}

// Every number of a response is in the state with all its digits, and one that is
// out of range says so.
func TestNumbersAreExact(t *testing.T) {
	f := newFixture(t)
	const exact = "9007199254740993"
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		doc["scaling"].(mockplatform.Document)["replicaCpuMillicores"] = json.Number(exact)
	})
	f.UpdateAlert(mockplatform.AlertID, func(doc mockplatform.Document) { doc["threshold"] = json.Number(exact + ".5") })
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["maxReplicaMemoryGb"] = json.Number(exact) })
	w := f.workspace(f.provider() + `
data "dataplatform_alert" "this" { id = "` + mockplatform.AlertID + `" }
data "dataplatform_pipe" "this" {
  service_id = "` + mockplatform.ServiceID + `"
  pipe_id    = "` + mockplatform.PostgresPipeID + `"
}
data "dataplatform_services" "all" {}
output "exact" {
  value = "${data.dataplatform_alert.this.threshold} ${data.dataplatform_pipe.this.scaling.replica_cpu_millicores} ${[for s in data.dataplatform_services.all.services : s.max_replica_memory_gb if s.id == "` + mockplatform.ServiceID + `"][0]}"
}
`)
	wantText(t, w.apply(), `exact = "`+exact+".5 "+exact+" "+exact+`"`)
	w.wantEmptyPlan()
	f.UpdateAlert(mockplatform.AlertID, func(doc mockplatform.Document) { doc["threshold"] = json.Number("1e400") })
	out, ok := w.terraform("plan")
	if ok {
		t.Error("the plan succeeded")
	}
	wantText(t, out, `"threshold" is a number that is out of range`)
}

// gateway stands before a platform, and fails without the platform seeing it.
type gateway struct {
	t        *testing.T
	platform http.Handler
	address  string

	mu     sync.Mutex
	kind   string
	failed chan struct{} // closed when the failure ends
	server *http.Server
}

func newGateway(t *testing.T, platform http.Handler) *gateway {
	g := &gateway{t: t, platform: platform, address: "127.0.0.1:0"}
	g.listen()
	t.Cleanup(func() { _ = g.server.Close() })
	return g
}

func (g *gateway) listen() {
	listener, err := net.Listen("tcp", g.address)
	if err != nil {
		g.t.Error(err)
		return
	}
	g.address = listener.Addr().String()
	g.server = &http.Server{Handler: g, ReadHeaderTimeout: time.Minute}
	go func(server *http.Server) { _ = server.Serve(listener) }(g.server)
}

// fail begins a failure, or ends it with "".
func (g *gateway) fail(kind string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.kind
	g.kind = kind
	switch {
	case kind != "":
		g.failed = make(chan struct{})
	default:
		close(g.failed)
	}
	if kind == "refused" {
		_ = g.server.Shutdown(context.Background()) // what is under way ends
	} else if was == "refused" {
		g.listen()
	}
}

func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	kind, failed := g.kind, g.failed
	g.mu.Unlock()
	switch kind {
	case "503":
		http.Error(w, "under repair", http.StatusServiceUnavailable)
	case "hang":
		_, _ = io.Copy(io.Discard, r.Body) // or the server would not notice that the client left
		select {
		case <-r.Context().Done():
		case <-failed:
		}
		panic(http.ErrAbortHandler)
	default:
		g.platform.ServeHTTP(w, r)
	}
}
