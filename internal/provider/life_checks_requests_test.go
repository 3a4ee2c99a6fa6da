package provider

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

func patchBodies(requests []mockplatform.Request) []object {
	var bodies []object
	for _, r := range requests {
		if r.Method == http.MethodPatch {
			bodies = append(bodies, lifeParse(r.Body).(object))
		}
	}
	return bodies
}

func gets(requests []mockplatform.Request) int {
	count := 0
	for _, r := range requests {
		if r.Method == http.MethodGet {
			count++
		}
	}
	return count
}

func keyOfMapping(mapping tfvalue.Value) string {
	var key []string
	for _, name := range mappingKeys {
		key = append(key, mapping.At(name).Text())
	}
	return strings.Join(key, ".")
}

func mappingsByKey(set tfvalue.Value) map[string]tfvalue.Value {
	all := map[string]tfvalue.Value{}
	for _, mapping := range set.Elements() {
		all[keyOfMapping(mapping)] = mapping
	}
	return all
}

// mappingsStand says what is wrong with mappings, or "".
func mappingsStand(config, after, before tfvalue.Value) string {
	wanted, now, was := mappingsByKey(config), mappingsByKey(after), mappingsByKey(before)
	for _, key := range sortedKeys(now) {
		if _, ok := wanted[key]; !ok {
			return key + " is mapped, and not declared"
		}
	}
	for _, key := range sortedKeys(wanted) {
		mapping, ok := now[key]
		if !ok {
			return key + " is declared, and not mapped"
		}
		for name, member := range wanted[key].Members() {
			want := member
			if earlier, existed := was[key]; member.IsNull() && existed {
				want = earlier.At(name)
			}
			if !lifeAlike(name, want, mapping.At(name)) {
				return fmt.Sprintf("%s of %s is %s, want %s", name, key, lifeSpell(mapping.At(name)), lifeSpell(want))
			}
		}
	}
	return ""
}

// checkMappingsSent holds for every PATCH whatever becomes of it: a mapping is
// added with the columns that the configuration excludes, and no others.
func (l *life) checkMappingsSent(m *lifeMoment) {
	for _, body := range patchBodies(m.apply) {
		adds, _ := member(body, "source.postgres.tableMappingsToAdd").([]any)
		for _, add := range adds {
			found := false
			for _, s := range l.driver.subjects {
				configured, _ := member(s.known, mappingsPath).([]any)
				for _, mapping := range configured {
					if lifeMappingKey(mapping) != lifeMappingKey(add) {
						continue
					}
					found = true
					l.checkMappingSent(m, mapping.(object), add.(object))
				}
			}
			if !found {
				l.fail("uncovered", "%s is added, and not configured", lifeJSON(add))
			}
		}
	}
}

func (l *life) checkMappingSent(m *lifeMoment, configured, sent object) {
	typ := l.subject().typ.AttributeTypes["source"].(tftypes.Object).AttributeTypes["postgres"].(tftypes.Object).AttributeTypes["table_mappings"].(tftypes.Set).ElementType
	asked, got := lifeValue(configured, typ), lifeRemote(sent, typ, "[]")
	was := mappingsByKey(l.remote(m.mid).At(strings.Split(mappingsPath, ".")...))
	for name, member := range asked.Members() {
		switch before, existed := was[keyOfMapping(asked)]; {
		case got.At(name).IsNull():
			l.fail("uncovered", "%s is sent without %s", lifeJSON(sent), name)
		case !member.IsNull() && !lifeAlike(name, member, got.At(name)):
			l.fail("uncovered", "%s is sent, where the configuration has %s", lifeJSON(sent), lifeJSON(configured))
		case name == "excluded_columns" && member.IsNull():
			l.fail("uncovered", "%s is sent, and the configuration declares no excluded_columns: %s", lifeJSON(sent), lifeJSON(configured))
		case member.IsNull() && lifeAlikeSpell(name, got.At(name)) != "":
			l.fail("uncovered", "%s is sent, and nobody asked for its %s", lifeJSON(sent), name)
		case member.IsNull() && existed && !lifeAlike(name, before.At(name), got.At(name)):
			if l.tellsAll() && !m.once {
				l.fail("lost", "%s is sent, and %s was %s", lifeJSON(sent), name, lifeSpell(before.At(name)))
			}
		}
	}
}

// checkCounts holds each command to the requests that the rules allow.
func (l *life) checkCounts(m *lifeMoment) {
	n := len(l.driver.subjects)
	if m.fault != nil {
		return
	}
	plain := l.tellsAll() && l.answersWrites() && !m.once
	planned := 2 * n
	for i := range m.plans {
		if m.plans[i].replaced.Type() != nil {
			planned += 2 // of the new object
		}
	}
	if got := gets(m.plan); got > planned {
		l.fail("requests", "a plan reads %d times", got)
	}
	bodies := patchBodies(m.apply)
	mapped := 0
	for _, body := range bodies {
		if member(body, "source.postgres.tableMappingsToAdd") != nil || member(body, "source.postgres.tableMappingsToRemove") != nil {
			mapped++
		}
	}
	most := n
	if mapped > 1 {
		most += n
	}
	if l.resets() || !l.tellsAll() {
		most *= 2 // what moved, or what only a PATCH returns, is corrected
	}
	if len(bodies) > most {
		l.fail("requests", "%d PATCHes, at most %d are allowed", len(bodies), most)
	}
	reads := 3*n + len(bodies)
	if plain && !l.resets() {
		reads = 3 * n
	}
	if got := gets(m.apply); got > reads {
		l.fail("requests", "an apply with %d PATCHes reads %d times", len(bodies), got)
	}
	for i := range m.plans {
		if m.plans[i].action == "none" && n == 1 && len(m.apply) > 0 {
			l.fail("requests", "nothing is planned, and %d requests are made", len(m.apply))
		}
	}
}

// checkSent compares what was sent with what is declared and what was planned.
func (l *life) checkSent(m *lifeMoment) {
	bodies := patchBodies(m.apply)
	mid := l.remote(m.mid)
	for at, body := range bodies {
		sent := lifeRemote(body, l.subject().typ)
		for _, leaf := range l.all {
			names := strings.Split(leaf.path, ".")
			value := sent.At(names...)
			if value.IsNull() {
				continue
			}
			declared, equal := false, false
			for i, s := range l.driver.subjects {
				if l.declared(s, m.plans[i].prior)[leaf.path] {
					declared = true
					if planned := m.plans[i].planned.At(names...); planned.IsFullyKnown() && !lifeAlike(leaf.path, planned, value) {
						l.fail("plan-otherwise", "%s is sent as %s, and was planned as %s", leaf.path, lifeSpell(value), lifeSpell(planned))
					}
					equal = lifeAlike(leaf.path, value, mid.At(names...)) && (!mid.At(names...).IsNull() || lifeAlikeSpell(leaf.path, value) != "")
				}
			}
			if !declared {
				l.fail("sent-undeclared", "%s is sent, and not declared", leaf.path)
			}
			if at == 0 && equal && l.tellsAll() && !m.once && m.fault == nil && len(l.driver.subjects) == 1 {
				l.fail("sent-equal", "%s is sent, and the platform has it: %s", leaf.path, lifeSpell(value))
			}
		}
		if member(body, "source.postgres.tableMappingsToAdd") != nil || member(body, "source.postgres.tableMappingsToRemove") != nil {
			if !slices.ContainsFunc(l.driver.subjects, func(s *lifeSubject) bool { return l.declared(s, m.plans[0].prior)[mappingsPath] }) {
				l.fail("sent-undeclared", "table mappings are sent, and not declared")
			}
		}
		l.checkCredentials(m, body)
	}
}

// checkCredentials: credentials travel with their kind, and when their version
// changes.
func (l *life) checkCredentials(m *lifeMoment, body object) {
	if len(l.driver.subjects) > 1 || m.fault != nil {
		return // the other one has none; and no read tells whether a lost PATCH had them
	}
	s, p := l.subject(), &m.plans[0]
	kind := l.spec.kind
	field := camelCase(kind)
	sent, _ := member(body, "source."+field).(object)
	var secret any
	for _, name := range []string{"credentials.password", "accessKey.secretKey"} {
		if found := member(sent, name); found != nil {
			secret = found
		}
	}
	leaves := 0
	for name := range sent {
		if name != "credentials" && name != "accessKey" {
			leaves++
		}
	}
	configured, _ := member(s.known, "source_credentials."+kind).(object)
	var password, version any
	for name, value := range configured {
		switch {
		case strings.HasSuffix(name, "_wo"):
			password = value
		case strings.HasSuffix(name, "_wo_version"):
			version = value
		}
	}
	switch {
	case secret != nil && password == nil:
		l.fail("credentials", "a secret is sent that is not configured: %s", lifeJSON(body))
	case secret != nil && secret != password:
		l.fail("credentials", "another secret is sent than is configured: %s", lifeJSON(body))
	case leaves > 0 && password != nil && secret == nil:
		l.fail("credentials", "%s is sent without its credentials", lifeJSON(body))
	case secret != nil && leaves == 0:
		was := lifeSpell(p.prior.At("source_credentials", kind))
		if !p.prior.IsNull() && strings.Contains(was, fmt.Sprintf("version:%v ", version)) {
			l.fail("credentials", "credentials are sent for nothing: %s", lifeJSON(body))
		}
	}
}

// checkUnowned: what nobody declares stays, but for what the platform moves.
func (l *life) checkUnowned(m *lifeMoment) {
	bodies := patchBodies(m.apply)
	declared, pinned := map[string]bool{}, map[string]bool{}
	for i, s := range l.driver.subjects {
		for path, counts := range l.declared(s, m.plans[i].prior) {
			if counts {
				declared[path] = true
				pinned[path] = s.ignores(path)
			}
		}
	}
	mid, after := l.remote(m.mid), l.remote(m.after)
	var walk func(at []string, was, now tfvalue.Value)
	walk = func(at []string, was, now tfvalue.Value) {
		if was.IsObject() {
			for name, member := range was.Members() {
				walk(append(slices.Clone(at), name), member, now.At(name))
			}
			return
		}
		path := strings.Join(at, ".")
		switch {
		case declared[path], lifeAlike(path, was, now), path == "updated_at":
			return
		case path == "state" && l.has("moves-state"), strings.Contains(path, "_replica_memory_gb") && l.has("moves-memory"):
			return
		case len(bodies) == 0:
			l.fail("unowned", "%s moved from %s to %s, and nothing was sent", path, lifeSpell(was), lifeSpell(now))
		case !l.resets():
			l.fail("unowned", "%s moved from %s to %s", path, lifeSpell(was), lifeSpell(now))
		case l.tellsAll() && !m.once && len(l.driver.subjects) == 1 && m.fault == nil &&
			!slices.ContainsFunc(m.warnings, func(text string) bool {
				return strings.Contains(text, "also changed unmanaged values") && strings.Contains(text, "- "+path+":")
			}):
			l.fail("no-warning", "%s moved from %s to %s, and nobody was warned: %s", path, lifeSpell(was), lifeSpell(now), strings.Join(m.warnings, "\n"))
		}
	}
	walk(nil, mid, after)
	if !l.resets() && slices.ContainsFunc(m.warnings, func(text string) bool { return strings.Contains(text, "also changed unmanaged values") }) && m.fault == nil {
		l.fail("false-warning", "nothing moved, and there is a warning: %s", strings.Join(m.warnings, "\n"))
	}
}
