package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// scene is one update of a service or a pipe, what happens meanwhile, and what comes of it.
type scene struct {
	ofService bool // of which arguments are changed; otherwise of mappedPipe
	arguments string
	platform  func(*mockplatform.Behaviour)
	before    map[int][]happening // by the number of the request of the apply, from 1

	requests         string   // as sent has them
	errors, warnings []string // parts of them; none if it is empty
	stored           object   // on the platform in the end, by path
	next             []string // what the next plan changes
}

// happening is what happens before a request.
type happening func(*fixture)

// fails has requests fail, or their responses.
func fails(fault mockplatform.Fault) happening {
	return func(f *fixture) { f.Inject(fault) }
}

// soon has a colleague act some seconds later.
func soon(colleague happening) happening {
	return func(f *fixture) { time.AfterFunc(5*time.Second, func() { colleague(f) }) }
}

func scalesOut(f *fixture) {
	f.UpdateService(mockplatform.ServiceID, func(doc mockplatform.Document) { doc["numReplicas"] = 10 })
}

func excludesSalary(f *fixture) {
	f.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		listOf(member(doc, tableMappings))[0].(object)["excludedColumns"] = []any{"password_hash", "phone", "salary"}
	})
}

// TestUpdateScenes has what a user sees of an update on which time does its work: colleagues act while a request waits,
// a request that failed is carried out later or by half, responses come from something in between, and the platform
// changes what was not sent. Each scene has the name of what once went wrong in it. The scenes of package adopt have
// the rules one by one, and TestSmallWorld all of them together.
func TestUpdateScenes(t *testing.T) {
	t.Parallel()
	const (
		timeout     = "num_replicas = 3\nidle_timeout_minutes = 30"
		credentials = "\nsource_credentials = { postgres = { username = \"u\", password_wo = \"p\", password_wo_version = 1 } }"

		atTable = "source.postgres.table_mappings"
		left    = "changed during its update: Either the platform changed these values with the update, or somebody else changed them at the same time. " +
			"They were left as they are, and the next plan shows those that the configuration sets:\n\n  - "
		partly   = "are only partly updated"
		wasThere = `"public.customers:customers": excluded_columns = ["password_hash", "phone"], sorting_keys = ["country", "id"], use_custom_sorting_key = true`
	)
	var (
		busy      = mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusConflict, Times: 4}
		lost      = mockplatform.Fault{After: true, Status: http.StatusBadGateway}
		rejected  = mockplatform.Fault{Status: http.StatusUnprocessableEntity}
		loginPage = mockplatform.Fault{Status: http.StatusOK, Body: mockplatform.BodyHTML}
		later     = mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusGatewayTimeout, Later: 14 * time.Second}
		scaledOut = object{"numReplicas": 10, "idleTimeoutMinutes": 30}
	)
	rows(t, map[string]scene{
		"replicas that a colleague scales during a 409 stay, and are named": {
			ofService: true, arguments: timeout, before: map[int][]happening{2: {fails(busy), soon(scalesOut)}},
			requests: "GET, 5 PATCH, GET", warnings: []string{left + "num_replicas: was 3, is now 10"}, stored: scaledOut, next: []string{"num_replicas"},
		},
		"a name that the platform trims is no error, and no drift": {
			arguments: seedMappings + "\nname = \"new  \"",
			platform: func(b *mockplatform.Behaviour) {
				trim := func(name any) any { return strings.TrimSpace(name.(string)) }
				b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: "name", Unsent: true, To: trim}}
			},
			requests: "GET, PATCH",
		},
		"a column that a colleague excludes while a removal waits is uncovered": {
			arguments: resorted, before: map[int][]happening{2: {fails(busy), soon(excludesSalary)}},
			requests: "GET, PATCH-, GET, PATCH-, GET, PATCH-, GET, PATCH-, GET", errors: []string{"changed during the apply"}, next: []string{atTable},
		},
		"a removal that is carried out after a 504 takes the addition with it": {
			arguments: resorted, before: map[int][]happening{2: {fails(later)}}, requests: "GET, PATCH-, 7 GET, PATCH+",
		},
		"a removal that a filter of responses hides is not told": {
			arguments: resorted, before: map[int][]happening{2: {fails(mockplatform.Fault{Status: http.StatusForbidden, Body: mockplatform.BodyHTML, After: true})}},
			requests: "GET, PATCH-, GET", errors: []string{"HTTP 403 Forbidden, an HTML page", partly, wasThere}, next: []string{atTable},
		},
		"a password that a login page takes counts as stored": {
			arguments: seedMappings + credentials, before: map[int][]happening{2: {fails(loginPage)}}, requests: "GET, PATCH, GET",
			errors: []string{"A login page or gateway seems to have answered instead of the API: HTTP 200 OK, an HTML page: 200 OK", "It is not known whether the change was applied.",
				"the next apply sends them again:\n\n  - source_credentials.postgres.password_wo_version"}, next: []string{"source_credentials"},
		},
		"the half of a rejected PATCH is not told": {
			arguments: resorted, before: map[int][]happening{2: {fails(mockplatform.Fault{Status: http.StatusBadRequest, Half: true})}},
			requests: "GET, PATCH-, GET", errors: []string{"HTTP 400 Bad Request", partly, wasThere}, next: []string{atTable},
		},
		"a removal whose response is lost is not told when the credentials beside it are rejected": {
			arguments: resorted + credentials, before: map[int][]happening{2: {fails(lost)}, 4: {fails(rejected)}},
			requests: "GET, PATCH-, GET, PATCH", errors: []string{partly, wasThere}, next: []string{atTable, "source_credentials"},
		},
		"credentials whose first response is lost are told as rejected": {
			arguments: seedMappings + credentials, before: map[int][]happening{2: {fails(lost)}, 3: {fails(rejected)}},
			requests: "GET, 2 PATCH", errors: []string{"It is not known whether the change was applied"}, next: []string{"source_credentials"},
		},
	}, func(t *testing.T, s scene) {
		t.Parallel()
		inBubble(s.play)(t)
	})
}

func (s scene) play(t *testing.T, f *fixture) {
	f.random = func() float64 { return 0.999 } // so that four waits take 7.5 s
	b := f.scaling(mockplatform.ServiceID, "num_replicas = 3\nidle_timeout_minutes = 15")
	if !s.ofService {
		b = f.pipe(mockplatform.PostgresPipeID, seedMappings)
	}
	b.apply()
	if s.platform != nil {
		f.Configure(s.platform)
	}
	b.arguments = s.arguments
	r := b.plan()
	f.ResetJournal()
	f.handle = func(w http.ResponseWriter, r *http.Request) {
		for _, happens := range s.before[len(f.Requests())+1] {
			happens(f)
		}
		f.ServeHTTP(w, r)
	}
	b.carryOut(b.start(), r)
	if got := f.sent(); got != s.requests {
		t.Errorf("sent %q, want %q", got, s.requests)
	}
	wantAll(t, "errors", r.errors, s.errors)
	wantAll(t, "warnings", slices.DeleteFunc(r.warnings, func(warning string) bool { return strings.HasPrefix(warning, "Table mappings of pipe ") }), s.warnings)

	time.Sleep(time.Minute) // whatever is carried out later has been
	f.handle = f.ServeHTTP
	f.ClearFaults()
	f.Configure(func(b *mockplatform.Behaviour) { *b = mockplatform.Behaviour{} })
	for path, want := range s.stored {
		if got := member(f.Service(b.id), path); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s is %v on the platform, want %v", path, got, want)
		}
	}
	if next := b.plan(); !slices.Equal(next.changed(), s.next) {
		t.Errorf("the next plan changes %q, want %q", next.changed(), s.next)
	}
}

// sent has the requests since the journal was reset, those in a row that are alike as one, with what
// a PATCH removes and adds.
func (f *fixture) sent() string {
	var all []string
	last, times := "", 0
	for _, request := range f.Requests() {
		text := request.Method
		if strings.Contains(request.Body, "ToRemove") {
			text += "-"
		}
		if strings.Contains(request.Body, "ToAdd") {
			text += "+"
		}
		times++
		if text != last {
			all, last, times = append(all, ""), text, 1
		}
		all[len(all)-1] = strings.TrimPrefix(fmt.Sprint(times, " ", text), "1 ")
	}
	return strings.Join(all, ", ")
}

// wantAll wants each text in the diagnostics of one severity, and none at all without a text.
func wantAll(t *testing.T, what string, got, texts []string) {
	t.Helper()
	if len(texts) > 0 {
		wantText(t, strings.Join(got, "\n"), texts...)
	} else if len(got) > 0 {
		t.Errorf("%s: %q", what, got)
	}
}
