package provider

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// TestPromises crosses what hides something from a plan with what changes, in the configuration and in the console, and
// compares the warnings of each plan with the bodies of its apply (promises_read_test.go): nothing is sent that is denied, nothing
// is promised that is not sent, and no column is uncovered that is not named.

// pipeText is a configuration of a Postgres pipe: HCL expressions, by the paths of their arguments.
type pipeText struct {
	arguments map[string]string
	mappings  map[string]mappingText // by their keys
}

type mappingText struct{ excluded, sorting string } // columns, with commas between them

const (
	customersKey, addressesKey, leadsKey = "public.customers:customers", "public.addresses:addresses", "sales.leads:sales_leads"
	pipeName, hostPath, threadsPath      = "name", "source.postgres.host", "settings.engine_max_threads"
	mapPath, credentialsPath             = "source.postgres.table_mappings", "source_credentials.postgres"
	secretPath, versionPath              = credentialsPath + ".password_wo", credentialsPath + ".password_wo_version"
	otherPipe                            = "40000000-0000-4000-8000-000000000009"
)

// seedPipe is what the pipe of the seed has, with credentials.
func seedPipe() pipeText {
	return pipeText{
		map[string]string{
			pipeName: `"customers"`, hostPath: `"customers.pg.example.com"`, threadsPath: "8", secretPath: `"hush-hush"`, versionPath: "1",
		},
		map[string]mappingText{customersKey: {"password_hash,phone", "country,id"}, addressesKey: {}, leadsKey: {"notes", ""}},
	}
}

// text has the arguments, of which one is known only after apply, and some are ignored.
func (p pipeText) text(h hiding) string {
	later := func(at, expression string) string {
		if at == h.unknown {
			return "[" + expression + "][later]"
		}
		return expression
	}
	var all []string
	for _, key := range slices.Sorted(maps.Keys(p.mappings)) {
		columns := func(name, list string) string {
			var quoted []string
			for i, column := range (mapping{excludes: list}).columns() {
				quoted = append(quoted, later(fmt.Sprintf("%s.%s.%d", key, name, i), `"`+column+`"`))
			}
			return name + " = " + later(key+"."+name, "["+strings.Join(quoted, ", ")+"]")
		}
		members := columns("excluded_columns", p.mappings[key].excluded)
		if sorting := p.mappings[key].sorting; sorting != "" {
			members += ", use_custom_sorting_key = true, " + columns("sorting_keys", sorting)
		}
		all = append(all, fmt.Sprintf("(%s) = %s", later(key+".key", fmt.Sprintf("%q", key)), later(key, "{ "+members+" }")))
	}
	value := func(at string) string { return later(at, p.arguments[at]) }
	return fmt.Sprintf("name = %s\nsettings = { engine_max_threads = %s }\nsource = { postgres = { host = %s, table_mappings = %s } }\n"+
		"source_credentials = { postgres = { password_wo = %s, password_wo_version = %s } }\npipe_id = %s\nlifecycle {\n  ignore_changes = [%s]\n}\n",
		value(pipeName), value(threadsPath), value(hostPath), later(mapPath, "{ "+strings.Join(all, ", ")+" }"), value(secretPath), value(versionPath),
		later("pipe_id", `"`+mockplatform.PostgresPipeID+`"`), strings.Join(append(h.ignored, "state"), ", "))
}

// hiding is what hides something: one argument, element or key that is unknown in the plan, and some that are ignored.
type hiding struct {
	unknown string
	ignored []string
}

var hidings = func() (all []hiding) {
	for _, unknown := range []string{
		"", pipeName, hostPath, threadsPath, mapPath, "pipe_id", customersKey, customersKey + ".key", customersKey + ".excluded_columns",
		customersKey + ".excluded_columns.0", customersKey + ".sorting_keys", customersKey + ".sorting_keys.0", leadsKey, leadsKey + ".excluded_columns",
		"sales.leads:people", "public.orders:orders", "public.orders:orders.key", secretPath, versionPath,
	} {
		all = append(all, hiding{unknown: unknown})
	}
	of := func(key string) string { return fmt.Sprintf("%s[%q]", mapPath, key) }
	for _, ignored := range [][]string{
		{pipeName}, {"settings"}, {threadsPath}, {hostPath}, {"source.postgres"}, {mapPath}, {of(customersKey)}, {of(leadsKey)}, {of("public.orders:orders")},
		{of("public.customers:people"), of("sales.leads:people")}, {"source_credentials"}, {credentialsPath}, {secretPath}, {versionPath},
		{"source_credentials", hostPath}, {"source", "source_credentials"}, {pipeName, threadsPath, mapPath},
	} {
		all = append(all, hiding{ignored: ignored})
	}
	// Both: a part of the rest is unknown.
	return append(all, hiding{customersKey + ".excluded_columns", []string{of(leadsKey)}}, hiding{hostPath, []string{"source_credentials"}},
		hiding{pipeName, []string{mapPath}}, hiding{mapPath, []string{hostPath}})
}()

// edits are changes to a configuration.
var edits = map[string]func(p pipeText){
	"nothing":                func(pipeText) {},
	"a name":                 func(p pipeText) { p.arguments[pipeName] = `"new"` },
	"a host":                 func(p pipeText) { p.arguments[hostPath] = `"new.example.com"` },
	"a setting":              func(p pipeText) { p.arguments[threadsPath] = "9" },
	"a secret":               func(p pipeText) { p.arguments[secretPath], p.arguments[versionPath] = `"new-secret"`, "2" },
	"a host, and no secret":  func(p pipeText) { p.arguments[hostPath], p.arguments[secretPath] = `"new.example.com"`, "null" },
	"a table, and no secret": func(p pipeText) { p.mappings[leadsKey], p.arguments[secretPath] = mappingText{}, "null" },
	"a column less":          func(p pipeText) { p.mappings[customersKey] = mappingText{"phone", "country,id"} },
	"a column more":          func(p pipeText) { p.mappings[customersKey] = mappingText{"password_hash,phone,ssn", "country,id"} },
	"columns of two tables": func(p pipeText) {
		p.mappings[customersKey], p.mappings[leadsKey] = mappingText{"phone,ssn", "id"}, mappingText{"email", ""}
	},
	"a column more of two": func(p pipeText) {
		p.mappings[customersKey], p.mappings[leadsKey] = mappingText{"password_hash,phone,ssn", "country,id"}, mappingText{"notes,ssn", ""}
	},
	"another order":   func(p pipeText) { p.mappings[customersKey] = mappingText{"password_hash,phone", "id"} },
	"no order":        func(p pipeText) { p.mappings[customersKey] = mappingText{"password_hash,phone", ""} },
	"a table less":    func(p pipeText) { delete(p.mappings, leadsKey) },
	"no table":        func(p pipeText) { clear(p.mappings) },
	"another target":  func(p pipeText) { delete(p.mappings, leadsKey); p.mappings["sales.leads:people"] = mappingText{} },
	"a second target": func(p pipeText) { p.mappings["public.customers:people"] = mappingText{"phone", ""} },
	"a successor":     func(p pipeText) { delete(p.mappings, leadsKey); p.mappings["sales.people:sales_leads"] = mappingText{} },
	"a shared target": func(p pipeText) { p.mappings["sales.people:sales_leads"] = mappingText{} },
	"a target to share": func(p pipeText) {
		delete(p.mappings, leadsKey)
		p.mappings["sales.leads:addresses"] = mappingText{"notes", ""}
	},
	"a new table":         func(p pipeText) { p.mappings["public.orders:orders"] = mappingText{"iban", ""} },
	"a host and a column": func(p pipeText) { p.arguments[hostPath] = `"new.example.com"`; p.mappings[leadsKey] = mappingText{} },
	"a secret and a target": func(p pipeText) {
		p.arguments[versionPath] = "2"
		delete(p.mappings, leadsKey)
		p.mappings["sales.leads:people"] = mappingText{"notes", ""}
	},
	"all at once": func(p pipeText) {
		maps.Copy(p.arguments, map[string]string{pipeName: `"new"`, hostPath: `"new.example.com"`, threadsPath: "9", versionPath: "2"})
		p.mappings[customersKey] = mappingText{}
		delete(p.mappings, addressesKey)
	},
}

// consoles are changes in the console that the state does not have.
var consoles = map[string]func(doc mockplatform.Document){
	"": func(mockplatform.Document) {},
	"leaves": func(doc mockplatform.Document) {
		doc["name"] = "renamed"
		setMember(doc, threadsPath, 7)
		setMember(doc, hostPath, "moved.example.com")
	},
	"exclusions": func(doc mockplatform.Document) {
		excludeIn(doc, 0, "password_hash", "phone", "iban")
		excludeIn(doc, 2)
	},
	"another table": func(doc mockplatform.Document) { excludeIn(doc, 1, "street") },
	"a table more": func(doc mockplatform.Document) {
		setMember(doc, tableMappings, append(listOf(member(doc, tableMappings)), object{"sourceSchemaName": "s", "sourceTable": "t", "targetTable": "u"}))
	},
	"a table less": func(doc mockplatform.Document) { setMember(doc, tableMappings, listOf(member(doc, tableMappings))[:2]) },
	"a second target, and a successor": func(doc mockplatform.Document) {
		all := listOf(member(doc, tableMappings))
		all[2].(object)["sourceTable"] = "people"
		excludeIn(doc, 2, "x")
		setMember(doc, tableMappings, append(all, object{"sourceSchemaName": "public", "sourceTable": "customers", "targetTable": "copy", "excludedColumns": []any{"phone"}}))
	},
}

func excludeIn(doc mockplatform.Document, i int, columns ...any) {
	listOf(member(doc, tableMappings))[i].(object)["excludedColumns"] = append([]any{}, columns...)
}

// ways are how a plan comes about: of an update, also without a refresh (stale) or applied after the platform has changed (saved);
// of an adoption; and of a replacement of another pipe that has what is configured.
var ways = []string{"update", "stale", "saved", "adoption", "replacement"}

func TestPromises(t *testing.T) {
	t.Parallel()
	every := 79 // of the 34,000 plans, which make soak plays
	if os.Getenv("SOAK_DURATION") != "" {
		every = 1
	}
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			inBubble(func(t *testing.T, f *fixture) {
				c, n := newCross(f, way), 0
				for _, console := range slices.Sorted(maps.Keys(consoles)) {
					for _, edit := range slices.Sorted(maps.Keys(edits)) {
						for i := range hidings {
							n++
							if n%every == 0 {
								c.play(hidings[i], edit, console)
							}
						}
					}
				}
				t.Logf("%d plans, of which %d were refused, %d found nothing to do and %d were applied; %d applies were refused, and %d sent something; "+
					"%d promises, %d columns and %d columns copied since compared", c.count["plans"], c.count["error"], c.count["none"], c.count["applied"], c.count["refused"], c.count["sent"],
					c.count["promises"], c.count["columns"], c.count["news"])
				if c.count["sent"] == 0 || c.count["promises"] == 0 {
					t.Error("the cross compares nothing")
				}
			})(t)
		})
	}
}

// cross plays the plans of one way on one platform.
type cross struct {
	*fixture
	way   string
	seed  mockplatform.Document
	state terraformtest.Object // before the change
	count map[string]int
}

func newCross(f *fixture, way string) *cross {
	c := &cross{fixture: f, way: way, seed: f.Pipe(mockplatform.PostgresPipeID), count: map[string]int{}}
	other := f.Pipe(mockplatform.PostgresPipeID)
	other["id"] = otherPipe
	f.SetPipe(other)
	b := c.block(hiding{}, seedPipe())
	if way == "replacement" {
		b.arguments = strings.Replace(b.arguments, mockplatform.PostgresPipeID, otherPipe, 1)
	}
	b.apply()
	c.state = b.block.State
	if way == "adoption" {
		c.state.Value = cty.NullVal(b.block.Schema.Type)
	}
	return c
}

func (c *cross) block(h hiding, text pipeText) *managed {
	b := c.pipe(mockplatform.PostgresPipeID, text.text(h))
	b.later = cty.Zero
	return b
}

// play plans a change and applies the plan. It ends the test at the first promise that is not kept.
func (c *cross) play(h hiding, edit, console string) {
	text := seedPipe()
	edits[edit](text)
	b := c.block(h, text)
	b.block.State = c.state
	c.SetPipe(c.seed)
	if c.way != "saved" {
		c.UpdatePipe(b.id, consoles[console])
	}
	var plan *result
	if c.way == "stale" {
		b.write(true)
		plan = b.tell(&result{change: b.block.PlanOnly(c.start())}, b.block.State)
	} else {
		plan = b.tryPlan(c.start())
	}
	c.count["plans"]++
	if c.way == "replacement" && h.unknown == "pipe_id" {
		return // it looks like an update until Terraform stops the apply
	}
	if plan.action == "error" || plan.action == "none" {
		c.count[plan.action]++
		return
	}
	if c.way == "saved" {
		c.UpdatePipe(b.id, consoles[console])
	}
	p := promised{h: h, text: text, way: c.way, plan: *plan, before: c.Pipe(b.id), seed: c.seed}
	c.ResetJournal()
	b.carryOut(c.start(), plan)
	p.bodies = c.Writes()
	c.count["applied"]++
	if len(plan.errors) > 0 {
		c.count["refused"]++
	}
	if len(p.bodies) > 0 {
		c.count["sent"]++
	}
	p.check(c.t, len(plan.errors) > 0, c.count)
	if c.t.Failed() {
		c.t.Fatalf("%s, %q in the console, %s, hidden by %+v:\n%s\nsaid\n%s\nsent\n%s\nerrors %q", c.way, console, edit, h, b.arguments,
			strings.Join(p.plan.warnings, "\n"), strings.Join(p.bodies, "\n"), plan.errors)
	}
}
