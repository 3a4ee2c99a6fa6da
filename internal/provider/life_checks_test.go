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

// What has to hold after each command of a life.

// lifeMoment is what was true when a command ran.
type lifeMoment struct {
	command lifeCommand
	// before is the object when the command began, mid when its plan was done
	// and what came between, after when it ended.
	before, mid, after object
	plan, apply        []mockplatform.Request
	fault              *lifeFault
	// once tells that some answers may have missed fields.
	once bool
	// states are those of the subjects when the command began.
	states []tfvalue.Value
	*lifeOutcome
}

// at rest, nothing but the platform's own answers can surprise the provider.
func (m *lifeMoment) moved() bool { return m.command.between != nil || m.command.noRefresh }

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

func (l *life) check(m *lifeMoment) {
	for _, blame := range m.blames {
		l.fail("blame", "%s", blame)
	}
	if bodies := patchBodies(m.plan); len(bodies) > 0 {
		l.fail("plan-writes", "a plan sends %s", lifeJSON(bodies))
	}
	l.checkMappingsSent(m)
	l.checkCounts(m)
	l.checkRefusals(m)
	if m.command.name == "destroy" {
		if bodies := patchBodies(m.apply); len(bodies) > 0 {
			l.fail("destroy-writes", "a destroy sends %s", lifeJSON(bodies))
		}
		return
	}
	if m.failed() {
		l.checkErrors(m)
		return
	}
	if !m.applied {
		return
	}
	for i, s := range l.driver.subjects {
		l.checkAction(m, s, &m.plans[i])
		l.checkQuiet(m, s, &m.plans[i])
		l.checkDeclared(m, s, &m.plans[i])
		l.checkState(m, s, &m.plans[i])
	}
	l.checkSent(m)
	l.checkUnowned(m)
}

// declared are the leaves that a configuration sets, and that are not ignored.
func (l *life) declared(s *lifeSubject, prior tfvalue.Value) map[string]bool {
	paths := map[string]bool{}
	config := lifeValue(s.known, s.typ)
	ignored := s.schema.ignoring(s.ignore, prior, config)
	for _, leaf := range l.all {
		names := strings.Split(leaf.path, ".")
		if written := config.At(names...); !written.IsNull() {
			paths[leaf.path] = lifeEqual(written, ignored.At(names...)) ||
				!ignored.At(names...).IsNull() && written.IsFullyKnown() && lifeAlike(leaf.path, written, ignored.At(names...))
		}
	}
	return paths
}

// ignores reports whether a leaf is ignored.
func (s *lifeSubject) ignores(path string) bool {
	return slices.ContainsFunc(s.ignore, func(ignored string) bool {
		return ignored == ignoreAll || ignored == path || strings.HasPrefix(path, ignored+".")
	})
}

// blind reports whether no read tells a leaf, or not all of it.
func (l *life) blind(path string) bool {
	field := lifeField(path)
	return slices.ContainsFunc(l.features(), func(feature string) bool {
		name, arg, _ := strings.Cut(feature, ":")
		return (name == "omits-always" || name == "omits-in-reads") && (arg == field || strings.HasPrefix(arg, field+"."))
	})
}

// swallowed reports whether the object that holds a leaf is itself left out as
// empty: a missing object says nothing of its members.
func (l *life) swallowed(path string, doc object) bool {
	names := strings.Split(lifeField(path), ".")
	for _, feature := range l.features() {
		mode, omits := strings.CutPrefix(feature, "omits-empty:")
		if !omits {
			continue
		}
		for i := 1; i < len(names); i++ {
			parent, _ := member(doc, strings.Join(names[:i], ".")).(object)
			left := 0
			for _, value := range parent {
				if !strings.Contains(mode, "o") || !isEmptyJSON(value) && value != false && fmt.Sprint(value) != "0" {
					left++
				}
			}
			if left == 0 {
				return true
			}
		}
	}
	return false
}

func (l *life) tellsAll() bool {
	return !slices.ContainsFunc(l.features(), func(feature string) bool { return strings.HasPrefix(feature, "omits-") })
}

func (l *life) resets() bool { return l.has("resets-top") || l.has("resets-nested") }

func (l *life) remote(doc object) tfvalue.Value { return lifeRemote(doc, l.subject().typ) }

func (l *life) checkDeclared(m *lifeMoment, s *lifeSubject, p *lifePlan) {
	if p.action == "none" && m.moved() {
		return // nothing was seen
	}
	after, mid, config := l.remote(m.after), l.remote(m.mid), lifeValue(s.known, s.typ)
	for path, declared := range l.declared(s, p.prior) {
		names := strings.Split(path, ".")
		switch {
		case !declared, l.blind(path), l.swallowed(path, m.after):
		case path == mappingsPath:
			if reason := mappingsStand(config.At(names...), after.At(names...), mid.At(names...)); reason != "" {
				l.fail("declared", "%s: %s", path, reason)
			}
		case !lifeAlike(path, config.At(names...), after.At(names...)):
			l.fail("declared", "%s is declared as %s, and the platform has %s", path, lifeSpell(config.At(names...)), lifeSpell(after.At(names...)))
		}
	}
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
	plain := l.tellsAll() && !m.once
	if got := gets(m.plan); got > 2*n {
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
		most *= 2 // what moved, or what only a PATCH tells, is put right
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
				return strings.Contains(text, "changed values") && strings.Contains(text, "- "+path+":")
			}):
			l.fail("no-warning", "%s moved from %s to %s, and nobody was warned: %s", path, lifeSpell(was), lifeSpell(now), strings.Join(m.warnings, "\n"))
		}
	}
	walk(nil, mid, after)
	if !l.resets() && slices.ContainsFunc(m.warnings, func(text string) bool { return strings.Contains(text, "changed values") }) && m.fault == nil {
		l.fail("false-warning", "nothing moved, and there is a warning: %s", strings.Join(m.warnings, "\n"))
	}
}

// checkAction compares the action with what differs.
func (l *life) checkAction(m *lifeMoment, s *lifeSubject, p *lifePlan) {
	if m.command.noRefresh || m.once || m.fault != nil || s.unknown != nil || !l.tellsAll() || p.prior.IsNull() {
		return
	}
	differs, certain := l.differs(s, p, m.before)
	kind := l.spec.kind
	if !lifeEqual(lifeStripped(lifeValue(s.known, s.typ).At, kind), lifeStripped(p.prior.At, kind)) {
		return // the credentials are another matter
	}
	switch {
	case p.action == "none" && differs != "" && certain:
		l.fail("drift-unseen", "%s differs, and the plan is empty", differs)
	case p.action == "update" && differs == "" && !lifeEqual(lifeLeafAt(p.planned, "source.validate_samples"), lifeLeafAt(p.prior, "source.validate_samples")):
		l.fail("noise", "validate_samples is planned as a change by itself")
	case p.action == "update" && differs == "":
		l.fail("noise", "nothing differs, and an update is planned from %s to %s", lifeSpell(p.prior), lifeSpell(p.planned))
	}
}

func lifeLeafAt(v tfvalue.Value, path string) tfvalue.Value {
	names := strings.Split(path, ".")
	if _, has := v.Type().(tftypes.Object).AttributeTypes[names[0]]; !has {
		return tfvalue.String("")
	}
	return v.At(names...)
}

// lifeStripped are credentials without their secrets.
func lifeStripped(at func(...string) tfvalue.Value, kind string) tfvalue.Value {
	defer func() { _ = recover() }() // a service has none
	return at("source_credentials", kind).Map(func(name string, member tfvalue.Value) tfvalue.Value {
		if strings.HasSuffix(name, "_wo") {
			return tfvalue.Null(member.Type())
		}
		return member
	})
}

// differs names a declared leaf that a document hasn't, and whether an update
// has to follow.
func (l *life) differs(s *lifeSubject, p *lifePlan, doc object) (path string, certain bool) {
	remote, config := l.remote(doc), lifeValue(s.known, s.typ)
	declared := l.declared(s, p.prior)
	for _, path := range sortedKeys(declared) {
		names := strings.Split(path, ".")
		want, now := config.At(names...), remote.At(names...)
		switch {
		case !declared[path]:
		case path == mappingsPath:
			if mappingsStand(want, now, now) != "" || now.IsNull() {
				return path, !lifeAlike(path, want, now)
			}
		case !lifeAlike(path, want, now):
			return path, true
		case now.IsNull():
			return path, false
		}
	}
	return "", false
}

// checkQuiet: an update changes what is declared, and leaves known what it
// can't touch.
func (l *life) checkQuiet(m *lifeMoment, s *lifeSubject, p *lifePlan) {
	if p.action != "update" || s.unknown != nil {
		return
	}
	declared := l.declared(s, p.prior)
	var walk func(at []string, was, will tfvalue.Value)
	walk = func(at []string, was, will tfvalue.Value) {
		if was.IsObject() && will.IsObject() {
			for name, member := range was.Members() {
				walk(append(slices.Clone(at), name), member, will.At(name))
			}
			return
		}
		path := strings.Join(at, ".")
		switch {
		case lifeEqual(was, will), declared[path], strings.HasPrefix(path, "source_credentials"), path == "source.validate_samples":
		case path == "state", path == "updated_at":
		case strings.Contains(path, "_replica_memory_gb") && (declared["min_total_memory_gb"] || declared["max_total_memory_gb"]):
		case was.IsNull() && will.IsObject() || was.IsObject() && will.IsNull():
		default:
			l.fail("noise", "%s is planned from %s to %s, and nobody declares it", path, lifeSpell(was), lifeSpell(will))
		}
	}
	walk(nil, p.prior, p.planned)
}

// checkState: the state says what stands.
func (l *life) checkState(m *lifeMoment, s *lifeSubject, p *lifePlan) {
	if !l.tellsAll() || m.once || len(l.driver.subjects) > 1 || p.action == "none" && m.moved() {
		return
	}
	after, before, mid := l.remote(m.after), l.remote(m.before), l.remote(m.mid)
	for _, leaf := range l.all {
		names := strings.Split(leaf.path, ".")
		now, kept := after.At(names...), s.state.At(names...)
		if lifeAlike(leaf.path, now, kept) {
			continue
		}
		if m.moved() && (m.command.noRefresh || !lifeAlike(leaf.path, before.At(names...), mid.At(names...))) {
			continue // what was planned, until the next refresh
		}
		if l.resets() && p.planned.At(names...).IsFullyKnown() && len(patchBodies(m.apply)) > 0 && !l.declared(s, p.prior)[leaf.path] {
			continue // likewise, and warned of
		}
		l.fail("state", "%s is %s in state, and %s on the platform", leaf.path, lifeSpell(kept), lifeSpell(now))
	}
}

// incomplete reports whether mappings have to be refused.
func (l *life) incomplete(s *lifeSubject, doc object) bool {
	names := strings.Split(mappingsPath, ".")
	if !s.typ.Is(l.subject().typ) || l.spec.kind != "postgres" {
		return false
	}
	wanted := lifeValue(s.known, s.typ).At(names...)
	there := mappingsByKey(l.remote(doc).At(names...))
	for _, mapping := range wanted.Elements() {
		now, exists := there[keyOfMapping(mapping)]
		stays := exists
		for name, member := range mapping.Members() {
			stays = stays && (member.IsNull() || lifeAlike(name, member, now.At(name)))
		}
		if stays {
			continue
		}
		for name, member := range mapping.Members() {
			if member.IsNull() && (name == "excluded_columns" || exists && lifeAlikeSpell(name, now.At(name)) != "") {
				return true
			}
		}
	}
	return false
}

const incompleteMapping = "Table mapping is not complete"

// checkRefusals: mappings are refused when they have to be, and nothing is sent.
func (l *life) checkRefusals(m *lifeMoment) {
	if l.spec.kind != "postgres" || m.command.name == "destroy" {
		return
	}
	refused := slices.ContainsFunc(m.errors, func(text string) bool { return strings.HasPrefix(text, incompleteMapping) })
	must := false
	for i, s := range l.driver.subjects {
		if _, sets := member(s.known, mappingsPath).([]any); !sets || i >= len(m.plans) {
			continue
		}
		if s.ignores(mappingsPath) || l.wrongKind(m.before) || l.wrongKind(m.mid) {
			return
		}
		must = must || l.incomplete(s, m.before)
	}
	unknown := slices.ContainsFunc(l.driver.subjects, func(s *lifeSubject) bool { return s.unknown != nil })
	if refused && len(patchBodies(m.apply)) > 0 && len(l.driver.subjects) == 1 {
		l.fail("refused-late", "mappings are refused after something was sent: %s", strings.Join(m.errors, "\n"))
	}
	if !l.tellsAll() || m.once || m.fault != nil || m.moved() || unknown || m.failed() && !refused {
		return
	}
	switch {
	case must && !refused:
		l.fail("not-refused", "mappings are not complete, and nothing says so")
	case refused && !must:
		l.fail("refused", "mappings are complete, and refused: %s", strings.Join(m.errors, "\n"))
	}
}

// wrongKind reports whether a kind is configured that the pipe doesn't have.
func (l *life) wrongKind(doc object) bool {
	for _, s := range l.driver.subjects {
		for _, parent := range []string{"source", "source_credentials"} {
			configured, _ := s.known[parent].(object)
			for kind := range configured {
				if kind != "validate_samples" && member(doc, "source."+camelCase(kind)) == nil {
					return true
				}
			}
		}
	}
	return false
}

// checkErrors: an error is called for, and says what stands.
func (l *life) checkErrors(m *lifeMoment) {
	for _, summary := range summaries(m.errors) {
		switch {
		case m.fault != nil && (strings.HasPrefix(summary, "Cannot ") || strings.HasPrefix(summary, "Change of")):
		case summary == incompleteMapping: // checked already
		case l.blind(mappingsPath) && strings.Contains(m.String(), "source.postgres.tableMappingsTo"): // nobody can know what is mapped
		case l.blind(mappingsPath) && strings.HasPrefix(summary, "API stored a different value for "+mappingsPath): // likewise
		case summary == "Credential missing" && l.withoutSecret():
		case summary == "Pipe has another kind of source" && (l.wrongKind(m.before) || l.wrongKind(m.mid)):
		default:
			l.fail("error", "%s", strings.Join(m.errors, "\n"))
			return
		}
	}
	if !m.applied {
		for i, s := range l.driver.subjects {
			if !lifeEqual(s.state, m.states[i]) {
				l.fail("error-state", "a plan that failed changed the state")
			}
		}
		return
	}
	l.checkHalfDone(m)
	for i, s := range l.driver.subjects {
		l.checkErrorState(m, s, &m.plans[i])
	}
}

// withoutSecret reports whether credentials are configured by their version alone.
func (l *life) withoutSecret() bool {
	configured, _ := member(l.subject().known, "source_credentials."+l.spec.kind).(object)
	return configured != nil && configured["password_wo"] == nil && configured["secret_key_wo"] == nil
}

func (l *life) checkErrorState(m *lifeMoment, s *lifeSubject, p *lifePlan) {
	if len(l.driver.subjects) > 1 {
		return
	}
	if p.action == "create" {
		if !s.state.IsNull() {
			l.fail("error-state", "an adoption that failed leaves a state")
		}
		return
	}
	if !l.tellsAll() || m.once || m.fault == nil || m.fault.ambiguous || m.fault.Method == http.MethodGet || m.moved() {
		return
	}
	after := l.remote(m.after)
	for _, leaf := range l.all {
		names := strings.Split(leaf.path, ".")
		if !lifeAlike(leaf.path, after.At(names...), s.state.At(names...)) {
			l.fail("error-state", "%s is %s in state after an error, and %s on the platform", leaf.path, lifeSpell(s.state.At(names...)), lifeSpell(after.At(names...)))
		}
	}
}

// checkHalfDone: an apply that ends between removing and adding says so.
func (l *life) checkHalfDone(m *lifeMoment) {
	if l.spec.kind != "postgres" || m.fault == nil || m.fault.ambiguous || l.blind(mappingsPath) {
		return
	}
	names := strings.Split(mappingsPath, ".")
	was, now := mappingsByKey(l.remote(m.mid).At(names...)), mappingsByKey(l.remote(m.after).At(names...))
	var wanted map[string]tfvalue.Value
	for _, s := range l.driver.subjects {
		if value := lifeValue(s.known, s.typ).At(names...); !value.IsNull() {
			wanted = mappingsByKey(value)
		}
	}
	removed, pending := false, false
	for key := range was {
		_, there := now[key]
		removed = removed || !there
	}
	for key := range wanted {
		_, there := now[key]
		pending = pending || !there
	}
	told := slices.ContainsFunc(m.errors, func(text string) bool { return strings.Contains(text, "is incomplete") })
	if removed && pending != told {
		l.fail("half-done", "mappings were removed, added yet: %v, told: %v", !pending, told)
	}
}

// checkRest: nothing is left to be done.
func (l *life) checkRest(o *lifeOutcome, requests []mockplatform.Request) {
	for _, blame := range o.blames {
		l.fail("blame", "%s", blame)
	}
	for _, text := range o.errors {
		l.fail("rest-error", "the next plan fails: %s", text)
	}
	for _, p := range o.plans {
		if p.action == "none" || p.action == "error" || l.forgets(p) {
			continue
		}
		l.fail("rest", "the next plan is not empty: %s", strings.Join(lifeDifferences(nil, p.prior, p.planned), "; "))
	}
	if bodies := patchBodies(requests); len(bodies) > 0 {
		l.fail("plan-writes", "a plan sends %s", lifeJSON(bodies))
	}
}

// forgets reports whether a plan is about nothing but the field that the
// platform ceased to tell. Where it told the field as empty last, a value that
// was sent since and isn't told looks lost, once.
func (l *life) forgets(p lifePlan) bool {
	if l.omitted == "" || l.forgotten {
		return false
	}
	for _, difference := range lifeDifferences(nil, p.prior, p.planned) {
		path, _, _ := strings.Cut(difference, ": ")
		if path != "state" && path != "updated_at" && !strings.Contains(path, "_replica_memory_gb") && !l.blind(path) {
			return false
		}
	}
	l.forgotten = true
	return true
}

func lifeDifferences(at []string, a, b tfvalue.Value) []string {
	if lifeEqual(a, b) {
		return nil
	}
	if a.IsObject() && b.IsObject() {
		var all []string
		for name, member := range a.Members() {
			all = append(all, lifeDifferences(append(slices.Clone(at), name), member, b.At(name))...)
		}
		return all
	}
	return []string{fmt.Sprintf("%s: %s to %s", strings.Join(at, "."), lifeSpell(a), lifeSpell(b))}
}
