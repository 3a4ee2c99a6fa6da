package provider

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// scene is the platform of TestPipeScenes, which does something before each request of an apply.
type scene struct {
	*fixture
	before  func(request int)
	request int // from 1
	body    string
}

// ServeHTTP implements http.Handler.
func (s *scene) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	r.Body, s.body = io.NopCloser(strings.NewReader(string(text))), string(text)
	s.request++
	if s.before != nil {
		s.before(s.request)
	}
	s.Server.ServeHTTP(w, r)
}

// omits has a response omit a member, or one of each mapping.
func (s *scene) omits(operation mockplatform.Operation, path string) {
	s.Inject(mockplatform.Fault{Operation: operation, Edit: func(body mockplatform.Document) {
		if name, ok := strings.CutPrefix(path, "each "); ok {
			for _, mapping := range member(body, "result."+tableMappings).([]any) {
				delete(mapping.(object), name)
			}
			return
		}
		setMember(body, "result."+path, nil)
	}})
}

// drops has PATCHes change the mappings that they do not have, as often as it returns true.
func (s *scene) drops(target string, may func() bool) {
	s.rewrites(tableMappings, func(value any) any {
		if !may() {
			return value
		}
		return slices.DeleteFunc(value.([]any), func(mapping any) bool { return target == "" || member(mapping, "targetTable") == target })
	})
}

func (s *scene) rewrites(path string, to func(any) any) {
	s.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: path, Unsent: true, To: to}}
	})
}

func (s *scene) fault(fault mockplatform.Fault) {
	fault.Operation = mockplatform.UpdatePipe
	s.Inject(fault)
}

// waits has the next request of an operation wait for a limit, while somebody changes the
// mappings.
func (s *scene) waits(operation mockplatform.Operation, change func([]any) []any) {
	s.Inject(mockplatform.Fault{Operation: operation, Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second})
	time.AfterFunc(10*time.Second, func() {
		s.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
			setMember(doc, tableMappings, change(member(doc, tableMappings).([]any)))
		})
	})
}

// salary excludes another column of customers, and adds puts a mapping beside the others.
func salary(all []any) []any {
	all[0].(object)["excludedColumns"] = []any{"password_hash", "phone", "salary"}
	return all
}

func (s *scene) adds(mapping string) func([]any) []any {
	return func(all []any) []any { return append(all, fromJSON(s.t, mapping)) }
}

// TestPipeScenes has applies in which what the platform told last is old, or only a part: what
// is mapped in the end, and what the apply says. TestSmallWorld has no such parts.
func TestPipeScenes(t *testing.T) {
	t.Parallel()
	const (
		credentials = "\nsource_credentials = { postgres = { username = \"u\", password_wo = \"p\", password_wo_version = 1 } }"
		renamed     = "\nname = \"new\""
		changed     = "changed during the apply"
	)
	archiveMapping := wanted("public.customers", "archive", `excluded_columns = ["iban"]`)
	held := map[string]string{"addresses": "", "customers": "password_hash phone", "sales_leads": "notes"}
	with := func(target, columns string) map[string]string {
		all := maps.Clone(held)
		all[target] = columns
		return all
	}
	without := func(target string) map[string]string {
		all := maps.Clone(held)
		delete(all, target)
		return all
	}
	once := func() func() bool {
		done := false
		return func() bool { was := done; done = true; return !was }
	}
	lost, rejected := mockplatform.Fault{After: true, Status: http.StatusBadGateway}, mockplatform.Fault{Status: http.StatusUnprocessableEntity}
	withoutResult := mockplatform.Fault{Result: mockplatform.ResultMissing}
	failing := func(faults map[int]mockplatform.Fault) func(*scene, int) {
		return func(s *scene, request int) {
			if fault, fails := faults[request]; fails {
				s.fault(fault)
			}
		}
	}
	unread := func(path string) func(*scene, int) { // by the two reads that begin an apply
		return func(s *scene, request int) {
			if request < 3 {
				s.omits(mockplatform.GetPipe, path)
			}
		}
	}
	for name, test := range map[string]struct {
		prior     string // what is applied before, seedMappings if it is empty
		arguments string
		platform  func(*scene)
		before    func(*scene, int)
		mapped    map[string]string // targets, and the columns that they exclude
		says      []string          // errors and warnings; none if it is empty
	}{
		"the set is that of a first read, 30 s ago": {
			arguments: resorted,
			before: func(s *scene, request int) {
				switch request {
				case 1:
					s.omits(mockplatform.GetPipe, "source.postgres.host")
				case 2:
					s.waits(mockplatform.GetPipe, salary)
				case 3:
					s.omits(mockplatform.GetPipe, "source")
				}
			},
			mapped: with("customers", "password_hash phone salary"), says: []string{changed},
		},
		"the set is that of a question's first read, 30 s ago": {
			arguments: resorted,
			before: func(s *scene, request int) {
				switch request {
				case 2:
					s.fault(mockplatform.Fault{Status: http.StatusTooManyRequests, RetryAfter: 3 * time.Second})
				case 3:
					s.omits(mockplatform.GetPipe, "source.postgres.host")
				case 4:
					s.waits(mockplatform.GetPipe, salary)
				case 5:
					s.omits(mockplatform.GetPipe, "source")
				}
			},
			mapped: with("customers", "password_hash phone salary"), says: []string{changed},
		},
		"a response omits a member, the read omits the source, and the next PATCH drops the mapping": {
			arguments: resorted,
			platform: func(s *scene) {
				dropped := once()
				s.drops("sales_leads", func() bool { return strings.Contains(s.body, "ToAdd") && dropped() })
			},
			before: func(s *scene, request int) {
				switch request {
				case 2:
					s.omits(mockplatform.UpdatePipe, "each excludedColumns")
				case 3:
					s.omits(mockplatform.GetPipe, "source")
				}
			},
			mapped: held,
		},
		"nothing tells that a removal drops another mapping, until the next question": {
			arguments: resorted,
			platform:  func(s *scene) { s.drops("sales_leads", once()) },
			before: func(s *scene, request int) {
				switch request {
				case 2:
					s.fault(mockplatform.Fault{Result: mockplatform.ResultMissing})
				case 3:
					s.omits(mockplatform.GetPipe, "source")
				}
			},
			mapped: held,
		},
		"no read of the apply tells the source": {
			arguments: resorted,
			before:    unread("source"),
			mapped:    held, says: []string{"Unknown table mappings"},
		},
		"no read of the apply tells the mappings": {
			arguments: resorted,
			before:    unread(tableMappings),
			mapped:    held, says: []string{"Unknown table mappings"},
		},
		"no read tells the source, and a change of the name drops the mappings": {
			arguments: seedMappings + renamed,
			platform:  func(s *scene) { s.drops("", once()) },
			before:    unread("source"),
			mapped:    map[string]string{}, says: []string{"also changed table mappings that were not sent", "was there, is now missing"},
		},
		"what the second PATCH needs is taken while the first one waits": {
			arguments: mappings(wanted("public.customers", "people", `excluded_columns = []`), addressesMapping, leadsMapping),
			before: func(s *scene, request int) {
				if request == 2 {
					s.waits(mockplatform.UpdatePipe, s.adds(mappingJSON("other", "people", `["z"]`)))
				}
			},
			mapped: with("people", "z"), says: []string{changed, "public.other to people"},
		},
		"the response is lost, and what is left resets the mappings without a result": {
			arguments: mappings(customersMapping, addressesMapping, leadsMapping, wanted("public.new", "new", `excluded_columns = ["iban"]`)) + credentials,
			platform:  func(s *scene) { s.drops("", func() bool { return !strings.Contains(s.body, "tableMappings") }) },
			before:    failing(map[int]mockplatform.Fault{2: lost, 4: withoutResult}),
			mapped:    with("new", "iban"),
		},
		"the response is lost, and what is left is rejected": {
			arguments: resorted + credentials,
			before:    failing(map[int]mockplatform.Fault{2: lost, 4: rejected}),
			mapped:    without("customers"), says: []string{"only partly updated", `public.customers to customers: excluded_columns = ["password_hash", "phone"]`},
		},
		"the response is lost, and what is left resets the name": {
			arguments: resorted + renamed + credentials,
			platform: func(s *scene) {
				s.rewrites("name", func(value any) any {
					if strings.Contains(s.body, `"name"`) {
						return value
					}
					return ""
				})
			},
			before: failing(map[int]mockplatform.Fault{2: lost}),
			mapped: held,
		},
		"a response about credentials alone is lost, and they reset the mappings": {
			arguments: seedMappings + credentials,
			platform:  func(s *scene) { s.drops("", func() bool { return !strings.Contains(s.body, "tableMappings") }) },
			before:    failing(map[int]mockplatform.Fault{2: lost}),
			mapped:    held,
		},
		"a response about credentials alone is lost, and they are rejected": {
			arguments: seedMappings + credentials,
			before:    failing(map[int]mockplatform.Fault{2: lost, 4: rejected}),
			mapped:    held, says: []string{"It is not known whether the change was applied"},
		},
		"a change of the name drops the mappings, and no read follows": {
			arguments: seedMappings + renamed,
			platform:  func(s *scene) { s.drops("", once()) },
			before: func(s *scene, request int) {
				if request == 3 {
					s.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Status: http.StatusForbidden})
				}
			},
			mapped: map[string]string{}, says: []string{"Cannot read pipe after its update", "public.customers to customers: excluded_columns"},
		},
		"what a question has seen is dropped, and its restore is rejected": {
			arguments: seedMappings + renamed,
			platform:  func(s *scene) { s.drops("", func() bool { return !strings.Contains(s.body, "tableMappings") }) },
			before: func(s *scene, request int) {
				switch {
				case request == 2:
					s.waits(mockplatform.UpdatePipe, func(all []any) []any { return s.adds(mappingJSON("new", "new", `["iban"]`))(salary(all)) })
				case strings.Contains(s.body, "ToAdd"):
					s.fault(mockplatform.Fault{Status: http.StatusUnprocessableEntity})
				}
			},
			mapped: map[string]string{}, says: []string{"only partly updated", `excluded_columns = ["password_hash", "phone", "salary"]`, `public.new to new: excluded_columns = ["iban"]`},
		},
		"a removal drops another mapping of the same table": {
			prior:     mappings(customersMapping, addressesMapping, leadsMapping, archiveMapping),
			arguments: mappings(wanted("public.customers", "people", `excluded_columns = []`), addressesMapping, leadsMapping, archiveMapping),
			platform:  func(s *scene) { s.drops("archive", once()) },
			mapped:    map[string]string{"addresses": "", "archive": "iban", "people": "", "sales_leads": "notes"},
		},
		"a mapping is removed while the name waits, and its PATCH drops another of the same table": {
			prior:     mappings(customersMapping, addressesMapping, leadsMapping, archiveMapping),
			arguments: mappings(customersMapping, addressesMapping, leadsMapping, archiveMapping) + renamed,
			platform:  func(s *scene) { s.drops("customers", once()) },
			before: func(s *scene, request int) {
				if request == 2 {
					s.waits(mockplatform.UpdatePipe, func(all []any) []any { return all[:3] })
				}
			},
			mapped: held,
		},
		"credentials alone reset the mappings, and the response shows the past": {
			arguments: seedMappings + credentials,
			platform:  func(s *scene) { s.drops("", func() bool { return !strings.Contains(s.body, "tableMappings") }) },
			before:    failing(map[int]mockplatform.Fault{2: {Result: mockplatform.ResultBefore}}),
			mapped:    held,
		},
		"the platform trims the name": {
			arguments: resorted + "\nname = \"new \"",
			platform:  func(s *scene) { s.rewrites("name", func(value any) any { return strings.TrimSpace(value.(string)) }) },
			mapped:    held, says: []string{"API stored a different value for name"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &scene{fixture: newMemory(t, mockplatform.DefaultSeed())}
				s.serve(s)
				b := s.mappedPipe()
				if test.prior != "" {
					b.applyAs(test.prior)
				}
				if test.platform != nil {
					test.platform(s)
				}
				b.arguments = test.arguments
				r := b.plan()
				if test.before != nil {
					s.request, s.before = 0, func(request int) { test.before(s, request) }
				}
				b.carryOut(b.start(), r)
				got := map[string]string{}
				for target, columns := range s.mapped(b.id) {
					got[target] = strings.Join(columns, " ")
				}
				if !maps.Equal(got, test.mapped) {
					t.Errorf("mapped %v, want %v\n%s", got, test.mapped, r)
				}
				if len(test.says) > 0 {
					wantText(t, r.String(), test.says...)
				} else if len(r.errors) > 0 {
					t.Errorf("errors %q", r.errors)
				}
			})
		})
	}
}
