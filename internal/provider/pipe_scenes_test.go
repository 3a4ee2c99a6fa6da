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

// scene is the platform of TestPipeScenes, on which something happens before requests of an
// apply.
type scene struct {
	*fixture
	steps   map[int]step // by the number of the request, from 1
	request int
	body    string
}

// step is what happens.
type step func(*scene)

// ServeHTTP implements http.Handler.
func (s *scene) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	r.Body, s.body = io.NopCloser(strings.NewReader(string(text))), string(text)
	s.request++
	if happens := s.steps[s.request]; happens != nil {
		happens(s)
	}
	s.Server.ServeHTTP(w, r)
}

// omits has the response to a GET omit a member.
func omits(path string) step {
	return func(s *scene) {
		s.Inject(mockplatform.Fault{Operation: mockplatform.GetPipe, Edit: func(body mockplatform.Document) { setMember(body, "result."+path, nil) }})
	}
}

// fails has a request fail, or its response.
func fails(fault mockplatform.Fault) step {
	return func(s *scene) { s.Inject(fault) }
}

// waits has a request wait for a limit, while somebody changes the mappings.
func waits(change func(mappings []any) []any) step {
	return func(s *scene) {
		s.Inject(mockplatform.Fault{Status: http.StatusTooManyRequests, RetryAfter: 30 * time.Second})
		time.AfterFunc(10*time.Second, func() { acts(change)(s) })
	}
}

// acts has somebody change the mappings right before a request.
func acts(change func(mappings []any) []any) step {
	return func(s *scene) {
		s.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
			setMember(doc, tableMappings, change(member(doc, tableMappings).([]any)))
		})
	}
}

// salary excludes another column of customers.
func salary(mappings []any) []any {
	mappings[0].(object)["excludedColumns"] = []any{"password_hash", "phone", "salary"}
	return mappings
}

// adds puts a mapping beside the others, with a name as in a smallSet.
func adds(name, excludes string) func([]any) []any {
	return func(mappings []any) []any { return append(mappings, smallSet{name: {excludes, ""}}.documents()...) }
}

// rewrites has PATCHes that omit a member change it.
func (s *scene) rewrites(path string, to func(any) any) {
	s.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{{Operation: mockplatform.UpdatePipe, Path: path, Unsent: true, To: to}}
	})
}

// drops has the first PATCH drop the mappings to a target that it omits.
func drops(target string) step {
	return func(s *scene) {
		done := false
		s.rewrites(tableMappings, func(mappings any) any {
			if done {
				return mappings
			}
			done = true
			return slices.DeleteFunc(mappings.([]any), func(mapping any) bool { return member(mapping, "targetTable") == target })
		})
	}
}

// resets has PATCHes without mappings drop all of them.
func resets(s *scene) {
	s.rewrites(tableMappings, func(mappings any) any {
		if strings.Contains(s.body, "tableMappings") {
			return mappings
		}
		return []any{}
	})
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
	var (
		lost          = fails(mockplatform.Fault{After: true, Status: http.StatusBadGateway})
		rejected      = fails(mockplatform.Fault{Status: http.StatusUnprocessableEntity})
		limited       = fails(mockplatform.Fault{Status: http.StatusTooManyRequests, RetryAfter: 3 * time.Second})
		withoutResult = fails(mockplatform.Fault{Result: mockplatform.ResultMissing})
		ofThePast     = fails(mockplatform.Fault{Result: mockplatform.ResultBefore})

		people         = wanted("public.customers", "people", `excluded_columns = []`)
		archiveMapping = wanted("public.customers", "archive", `excluded_columns = ["iban"]`)
		newMapping     = wanted("public.new", "new", `excluded_columns = ["iban"]`)
	)
	type mapped = map[string]string // targets, and the columns that they exclude
	held := mapped{"addresses": "", "customers": "password_hash phone", "sales_leads": "notes"}
	with := func(target, columns string) mapped {
		all := maps.Clone(held)
		all[target] = columns
		return all
	}
	for name, test := range map[string]struct {
		prior     string // what is applied before, seedMappings if it is empty
		arguments string
		platform  step
		steps     map[int]step
		mapped    mapped
		says      []string // errors and warnings; none if it is empty
	}{
		"the set is that of a first read, 30 s ago": {
			arguments: resorted,
			steps:     map[int]step{1: omits("source.postgres.host"), 2: waits(salary), 3: omits("source")},
			mapped:    with("customers", "password_hash phone salary"),
			says:      []string{changed},
		},
		"the set is that of the first of two reads before an attempt, 30 s ago": {
			arguments: resorted,
			steps:     map[int]step{2: limited, 3: omits("source.postgres.host"), 4: waits(salary), 5: omits("source")},
			mapped:    with("customers", "password_hash phone salary"),
			says:      []string{changed},
		},
		"nothing tells that a removal drops another mapping, until the read before the next PATCH": {
			arguments: resorted,
			platform:  drops("sales_leads"),
			steps:     map[int]step{2: withoutResult, 3: omits("source")},
			mapped:    mapped{"addresses": "", "customers": "password_hash phone"},
			says:      []string{"sales.leads to sales_leads: was there, is now missing"},
		},
		"no read of the apply tells the source": {
			arguments: resorted,
			steps:     map[int]step{1: omits("source"), 2: omits("source")},
			mapped:    held,
			says:      []string{"Unknown table mappings"},
		},
		"no read of the apply tells the mappings": {
			arguments: resorted,
			steps:     map[int]step{1: omits(tableMappings), 2: omits(tableMappings)},
			mapped:    held,
			says:      []string{"Unknown table mappings"},
		},
		"no read tells the source, and a change of the name drops the mappings": {
			arguments: seedMappings + renamed,
			platform:  resets,
			steps:     map[int]step{1: omits("source"), 2: omits("source")},
			mapped:    mapped{},
		},
		"what the second PATCH needs is taken while the first one waits": {
			arguments: mappings(people, addressesMapping, leadsMapping),
			steps:     map[int]step{2: waits(adds("other>people", "z"))},
			mapped:    with("people", "z"),
			says:      []string{changed, "public.other to people"},
		},
		"what the second PATCH needs is taken before the first one": {
			arguments: mappings(people, addressesMapping, leadsMapping),
			steps:     map[int]step{2: acts(adds("other>people", "z"))},
			mapped:    mapped{"addresses": "", "people": "z", "sales_leads": "notes"},
			says:      []string{changed, "public.other to people"},
		},
		"the response is lost, and what is left resets the mappings without a result": {
			arguments: mappings(customersMapping, addressesMapping, leadsMapping, newMapping) + credentials,
			platform:  resets,
			steps:     map[int]step{2: lost, 4: withoutResult},
			mapped:    mapped{},
			says:      []string{"API does not show the change to source.postgres.table_mappings", "public.customers to customers: was there, is now missing"},
		},
		"the response is lost, and what is left is rejected": {
			arguments: resorted + credentials,
			steps:     map[int]step{2: lost, 4: rejected},
			mapped:    mapped{"addresses": "", "sales_leads": "notes"},
			says:      []string{"only partly updated", `public.customers to customers: excluded_columns = ["password_hash", "phone"]`},
		},
		"the response is lost, and what is left resets the name": {
			arguments: resorted + renamed + credentials,
			platform: func(s *scene) {
				s.rewrites("name", func(name any) any {
					if strings.Contains(s.body, `"name"`) {
						return name
					}
					return ""
				})
			},
			steps:  map[int]step{2: lost},
			mapped: held,
		},
		"a response about credentials alone is lost, and they reset the mappings": {
			arguments: seedMappings + credentials,
			platform:  resets,
			steps:     map[int]step{2: lost},
			mapped:    mapped{},
			says:      []string{"public.customers to customers: was there, is now missing"},
		},
		"a response about credentials alone is lost, and they are rejected": {
			arguments: seedMappings + credentials,
			steps:     map[int]step{2: lost, 3: rejected},
			mapped:    held,
			says:      []string{"It is not known whether the change was applied"},
		},
		"a change of the name drops the mappings, and no read follows": {
			arguments: seedMappings + renamed,
			platform:  resets,
			steps:     map[int]step{3: fails(mockplatform.Fault{Status: http.StatusForbidden})},
			mapped:    mapped{},
			says:      []string{"Cannot read pipe after its update", "public.customers to customers: was there, is now missing"},
		},
		"somebody changes a mapping while a change of the name waits, which drops all": {
			arguments: seedMappings + renamed,
			platform:  resets,
			steps: map[int]step{
				2: waits(func(mappings []any) []any { return adds("new>new", "iban")(salary(mappings)) }),
			},
			mapped: mapped{},
			says:   []string{"public.customers to customers: was there, is now missing"},
		},
		"a removal drops another mapping of the same table": {
			prior:     mappings(customersMapping, addressesMapping, leadsMapping, archiveMapping),
			arguments: mappings(people, addressesMapping, leadsMapping, archiveMapping),
			platform:  drops("archive"),
			mapped:    mapped{"addresses": "", "sales_leads": "notes"},
			says:      []string{changed, "public.customers to archive", "public.customers to customers: excluded_columns"},
		},
		"credentials alone reset the mappings, and the response shows the past": {
			arguments: seedMappings + credentials,
			platform:  resets,
			steps:     map[int]step{2: ofThePast},
			mapped:    mapped{},
			says:      []string{"public.customers to customers: was there, is now missing"},
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
				s.request, s.steps = 0, test.steps
				b.carryOut(b.start(), r)
				got := mapped{}
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
