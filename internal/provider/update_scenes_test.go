package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// meanwhile has the next PATCH rejected for about as long as a colleague needs, who acts 5 s later.
func meanwhile(fault mockplatform.Fault, colleague step) step {
	return func(s *scene) {
		fault.Method = http.MethodPatch
		s.Inject(fault)
		time.AfterFunc(5*time.Second, func() { colleague(s) })
	}
}

// sets has a colleague set a member of the service or of the pipe with mappings.
func sets(path string, value any) step {
	return func(s *scene) {
		set := func(doc mockplatform.Document) { setMember(doc, path, value) }
		if strings.HasPrefix(path, "settings.") {
			s.UpdatePipe(mockplatform.PostgresPipeID, set)
		} else {
			s.UpdateService(mockplatform.ServiceID, set)
		}
	}
}

// loses has a colleague remove the mapping to a target.
func loses(target string) step {
	return acts(func(mappings []any) []any {
		return slices.DeleteFunc(mappings, func(mapping any) bool { return member(mapping, "targetTable") == target })
	})
}

// behaves changes the platform.
func behaves(change func(*mockplatform.Patches)) step {
	return func(s *scene) { s.Configure(func(b *mockplatform.Behaviour) { change(&b.Patches) }) }
}

// foldsNames stores the names of new mappings in lower case.
func foldsNames(patches *mockplatform.Patches) {
	patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: tableMappings, Unsent: true, To: func(value any) any {
		for _, mapping := range value.([]any) {
			for _, name := range []string{"sourceTable", "targetTable"} {
				setMember(mapping.(object), name, strings.ToLower(member(mapping, name).(string)))
			}
		}
		return value
	}}}
}

// TestUpdateScenes has what time does to an update: colleagues act while a request waits, a request
// that failed is carried out later or by half, values come in steps, and the platform changes what
// was not sent. Each scene has its requests, what is said, what the platform and the state have in
// the end, and what the next plan changes.
func TestUpdateScenes(t *testing.T) {
	t.Parallel()
	const (
		timeout  = "num_replicas = 3\nidle_timeout_minutes = 30"
		threads  = "\nsettings = { engine_max_threads = 8 }"
		renamed  = "\nname = \"new\""
		left     = "changed during its update: Either the platform or somebody else changed these managed values meanwhile. They were left as they are, and the next plan shows them:\n\n  - "
		restored = "changed during its update: The update found these managed values changed. It sent them again"
		conflict = "changed during the apply"
		partly   = "is only partly updated"
		wasThere = `public.customers to customers: excluded_columns = ["password_hash", "phone"], sorting_keys = ["country", "id"], use_custom_sorting_key = true`
		atTable  = "source.postgres.table_mappings"
		gone     = atTable + ", public.addresses to addresses: was there, is now missing"
	)
	var (
		busy    = mockplatform.Fault{Status: http.StatusConflict, Times: 4}
		limited = mockplatform.Fault{Status: http.StatusTooManyRequests, RetryAfter: 12 * time.Second}
		later   = mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusGatewayTimeout, Later: 14 * time.Second}

		service = func(f *fixture) *managed {
			return f.scaling(mockplatform.ServiceID, "num_replicas = 3\nidle_timeout_minutes = 15")
		}
		settings = func(f *fixture) *managed {
			return f.pipe(mockplatform.PostgresPipeID, "settings = { engine_max_threads = 8 }")
		}
		invoices = mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.invoices", "invoices", `excluded_columns = ["iban"]`))
		capital  = mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.Invoices", "Invoices", `excluded_columns = ["iban"]`))
	)
	for name, test := range map[string]struct {
		block     func(*fixture) *managed // mappedPipe if it is nil
		arguments string
		platform  step
		steps     map[int]step // by the number of the request of the apply
		requests  string
		most      time.Duration
		errors    []string
		warnings  []string
		stored    object // on the platform, by path
		held      object // in the state, by path
		next      []string
	}{
		"replicas that a colleague scales during a 409 are put back": {
			requests: "GET, 5 PATCH, GET",
			block:    service, arguments: timeout, steps: map[int]step{2: meanwhile(busy, sets("numReplicas", 10))},
			warnings: []string{left + "num_replicas: was 3, is now 10"}, stored: object{"numReplicas": 10, "idleTimeoutMinutes": 30}, next: []string{"num_replicas"},
		},
		"replicas that a colleague scales during a Retry-After are put back": {
			requests: "GET, 2 PATCH, GET",
			block:    service, arguments: timeout, steps: map[int]step{2: meanwhile(limited, sets("numReplicas", 10))},
			warnings: []string{left + "num_replicas: was 3, is now 10"}, stored: object{"numReplicas": 10, "idleTimeoutMinutes": 30}, next: []string{"num_replicas"},
		},
		"a setting that a colleague changes during a Retry-After is put back": {
			requests: "GET, 2 PATCH, GET",
			block:    settings, arguments: strings.TrimSpace(threads + renamed), steps: map[int]step{2: meanwhile(limited, sets("settings.engine_max_threads", 2))},
			warnings: []string{left + "settings.engine_max_threads: was 8, is now 2"}, stored: object{"name": "new", "settings.engine_max_threads": 2}, next: []string{"settings.engine_max_threads"},
		},
		"a setting that a colleague changes in the queue is put back": {
			requests: "2 GET, 2 PATCH, 2 GET",
			block:    settings, arguments: strings.TrimSpace(threads + renamed),
			platform: func(s *scene) {
				s.Configure(func(b *mockplatform.Behaviour) {
					b.RateLimit = mockplatform.RateLimit{PerSecond: 1.0 / 12, Window: 12 * time.Second}
				})
			},
			steps:    map[int]step{2: meanwhile(mockplatform.Fault{}, sets("settings.engine_max_threads", 2))},
			warnings: []string{left + "settings.engine_max_threads: was 8, is now 2"}, stored: object{"name": "new", "settings.engine_max_threads": 2}, next: []string{"settings.engine_max_threads"},
		},
		"a mapping that a colleague removes before the PATCH of a name is added again": {
			requests:  "GET, PATCH, GET",
			arguments: seedMappings + renamed, steps: map[int]step{2: loses("addresses")},
			warnings: []string{left + gone}, stored: object{"name": "new"}, next: []string{atTable},
		},
		"a mapping that a colleague removes while the PATCH of a name waits is added again": {
			requests:  "GET, 2 PATCH, GET",
			arguments: seedMappings + renamed, steps: map[int]step{2: meanwhile(limited, loses("addresses"))},
			warnings: []string{left + gone}, stored: object{"name": "new"}, next: []string{atTable},
		},
		"a mapping that a colleague removes while a removal waits is added again": {
			requests:  "GET, PATCH-, GET, PATCH-, GET, PATCH-, GET, PATCH-, GET, PATCH-, PATCH+, GET",
			arguments: resorted, steps: map[int]step{2: meanwhile(busy, loses("addresses"))},
			warnings: []string{left + gone}, next: []string{atTable},
		},
		"a mapping that a colleague removes while an addition waits is added again": {
			requests:  "GET, PATCH-, PATCH+, GET, PATCH+, GET",
			arguments: resorted, steps: map[int]step{3: meanwhile(limited, loses("addresses"))},
			warnings: []string{left + gone}, next: []string{atTable},
		},
		"a column that a colleague excludes while a removal waits is uncovered": {
			requests:  "GET, PATCH-, GET, PATCH-, GET, PATCH-, GET, PATCH-, GET",
			arguments: resorted, steps: map[int]step{2: meanwhile(busy, acts(salary))}, errors: []string{conflict}, next: []string{atTable},
		},
		"a removal that is carried out after a 504 takes the addition with it": {
			requests:  "GET, PATCH-, 7 GET, PATCH+",
			arguments: resorted, steps: map[int]step{2: fails(later)}, most: 30 * time.Second,
		},
		"a removal that is carried out after the request timeout takes the addition with it": {
			requests:  "GET, PATCH-, 7 GET, PATCH+",
			arguments: resorted, steps: map[int]step{2: fails(mockplatform.Fault{Method: http.MethodPatch, Hang: true, Later: 75 * time.Second})}, most: 2 * time.Minute,
		},
		"a removal that is carried out after the update has stopped": {
			requests:  "GET, PATCH-, 10 GET",
			arguments: resorted, steps: map[int]step{2: fails(mockplatform.Fault{Method: http.MethodPatch, Status: http.StatusGatewayTimeout, Later: 45 * time.Second})}, most: 31 * time.Second,
			errors: []string{"the platform may still carry out the request. Wait some minutes", partly, wasThere}, next: []string{atTable},
		},
		"an addition that is carried out after a 504 is sent two or three times": {
			requests:  "GET, PATCH+, 7 GET",
			arguments: invoices, steps: map[int]step{2: fails(later)}, most: 30 * time.Second,
		},
		"a managed value that the platform resets is put right without a word": {
			requests: "GET, PATCH, GET, PATCH",
			block:    service, arguments: timeout, platform: behaves(func(p *mockplatform.Patches) {
				p.Resets = mockplatform.Resets{TopLevel: true, To: mockplatform.ToEmpty}
			}),
			warnings: []string{restored, "num_replicas: was 3, was found to be 0"}, stored: object{"numReplicas": 3, "idleTimeoutMinutes": 30},
		},
		"the half of a rejected PATCH is not told": {
			requests:  "GET, PATCH-, GET",
			arguments: resorted, steps: map[int]step{2: fails(mockplatform.Fault{Status: http.StatusBadRequest, Half: true})},
			errors: []string{"HTTP 400 Bad Request", partly, wasThere}, next: []string{atTable},
		},
		"replicas that come one by one are an error": {
			requests: "GET, PATCH, 6 GET",
			block:    service, arguments: "num_replicas = 6\nidle_timeout_minutes = 15", platform: behaves(func(p *mockplatform.Patches) { p.Step = 3 * time.Second }),
			most: 15 * time.Second, stored: object{"numReplicas": 6}, held: object{"num_replicas": "6"},
		},
		"replicas that are on their way for longer are told as the value before": {
			requests: "GET, PATCH, 10 GET",
			block:    service, arguments: "num_replicas = 12\nidle_timeout_minutes = 15", platform: behaves(func(p *mockplatform.Patches) { p.Step = 9 * time.Second }),
			most: 31 * time.Second, errors: []string{"num_replicas was sent and accepted, but the API returned another value, 6, in reads for 30s"},
		},
		"members of a mapping that come later are an error": {
			requests:  "GET, PATCH-, PATCH+, 5 GET",
			arguments: resorted, platform: behaves(func(p *mockplatform.Patches) { p.Step = 4 * time.Second }), most: 10 * time.Second,
		},
		"a platform that folds names does not tell the name that it has": {
			requests:  "GET, PATCH+, 10 GET",
			arguments: capital, platform: behaves(foldsNames), most: 31 * time.Second,
			errors: []string{"does not show the change to " + atTable, "letter case", "public.invoices to invoices"}, next: []string{atTable},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scene{fixture: newMemory(t, mockplatform.DefaultSeed())}
				s.serve(s)
				s.random = func() float64 { return 0.999 } // so that four waits take 7.5 s
				var b *managed
				if test.block == nil {
					b = s.mappedPipe()
				} else {
					b = test.block(s.fixture)
					b.apply()
				}
				if test.platform != nil {
					test.platform(s)
				}
				b.arguments = test.arguments
				r := b.plan()
				s.request, s.steps = 0, test.steps
				s.ResetJournal()
				begun := time.Now()
				b.carryOut(b.start(), r)
				if took := time.Since(begun); test.most > 0 && took > test.most {
					t.Errorf("it took %s", took)
				}
				if got := s.sent(); got != test.requests {
					t.Errorf("sent %q, want %q", got, test.requests)
				}
				wantAll(t, "errors", r.errors, test.errors)
				planned := func(warning string) bool { return strings.HasPrefix(warning, "Table mappings of pipe ") }
				wantAll(t, "warnings", slices.DeleteFunc(r.warnings, planned), test.warnings)
				s.steps = nil
				s.ClearFaults()
				s.Configure(func(b *mockplatform.Behaviour) {
					b.Patches, b.RateLimit = mockplatform.Patches{}, mockplatform.RateLimit{}
				})
				for path, want := range test.held {
					if got := member(b.shown(), path); plain(got) != plain(want) {
						t.Errorf("%s is %v in the state, want %v", path, got, want)
					}
				}
				time.Sleep(time.Minute) // whatever is carried out later has been
				stored := s.Service(b.id)
				if stored == nil {
					stored = s.Pipe(b.id)
				}
				for path, want := range test.stored {
					if got := member(stored, path); plain(got) != plain(want) {
						t.Errorf("%s is %v on the platform, want %v", path, got, want)
					}
				}
				if next := b.plan(); !slices.Equal(next.changed(), test.next) {
					t.Errorf("the next plan changes %q, want %q", next.changed(), test.next)
				}
			})
		})
	}
}

// sent has the requests since the journal was reset, those in a row that are alike as one, with what
// a PATCH removes and adds.
func (f *fixture) sent() string {
	var all []string
	for _, request := range f.Requests() {
		text := request.Method
		if strings.Contains(request.Body, "ToRemove") {
			text += "-"
		}
		if strings.Contains(request.Body, "ToAdd") {
			text += "+"
		}
		all = append(all, text)
	}
	var runs []string
	for len(all) > 0 {
		same := slices.IndexFunc(all, func(text string) bool { return text != all[0] })
		if same < 0 {
			same = len(all)
		}
		runs = append(runs, strings.TrimPrefix(fmt.Sprint(same, " ", all[0]), "1 "))
		all = all[same:]
	}
	return strings.Join(runs, ", ")
}

// wantAll wants each text in the diagnostics of one severity, and none at all without a text.
func wantAll(t *testing.T, what string, got, texts []string) {
	t.Helper()
	if all := strings.Join(got, "\n"); len(texts) > 0 {
		wantText(t, all, texts...)
	} else if all != "" {
		t.Errorf("%s: %s", what, all)
	}
}
