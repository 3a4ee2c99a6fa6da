package provider

import (
	"encoding/json"
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
	id      string // of the object
	// before is the object when the command began, mid when its plan was done
	// and what came between, after when it ended.
	before, mid, after object
	plan, apply        []mockplatform.Request
	fault              *lifeFault
	// once tells that some answers may have missed fields.
	once    bool
	omitted string // field
	// states are those of the subjects when the command began.
	states []tfvalue.Value
	*lifeOutcome
}

// at rest, nothing but the platform's own answers can surprise the provider.
func (m *lifeMoment) moved() bool { return m.command.between != nil || m.command.noRefresh }

// unseen reports whether the object that holds a leaf is omitted once, which says nothing
// about the leaf: its drift is seen by a later plan.
func (m *lifeMoment) unseen(leaf lifeLeaf) bool {
	return m.omitted != "" && strings.HasPrefix(lifeField(leaf.path), m.omitted+".")
}

func (l *life) check(m *lifeMoment) {
	for _, blame := range m.blames {
		l.fail("blame", "%s", blame)
	}
	if bodies := patchBodies(m.plan); len(bodies) > 0 {
		l.fail("plan-writes", "a plan sends %s", lifeJSON(bodies))
	}
	for _, r := range m.apply {
		if r.Method == http.MethodPatch && !strings.Contains(r.Path, m.id) {
			l.fail("another", "%s is sent to %s, which is another object", r.Body, r.Path)
		}
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
		l.checkOverwritten(m, s, &m.plans[i])
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
		return (name == "omits-always" || name == "omits-in-reads") && (arg == field || strings.HasPrefix(arg, field+".")) ||
			name == "hides" && strings.HasPrefix(arg, field+" ")
	})
}

// swallowed reports whether the object that holds a leaf is itself omitted as
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
	return !slices.ContainsFunc(l.features(), func(feature string) bool {
		return strings.HasPrefix(feature, "omits-") || strings.HasPrefix(feature, "hides:")
	})
}

// answersWrites reports whether a PATCH returns the object after it.
func (l *life) answersWrites() bool {
	return !slices.ContainsFunc(l.features(), func(feature string) bool { return strings.HasPrefix(feature, "patch-result:") })
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
		case !declared, l.blind(path), l.swallowed(path, m.after), p.unreported(path) && l.untold(path, after.At(names...)):
		case p.action == "none" && m.unseen(lifeLeaf{path: path}):
		case m.fault != nil && l.resets() && m.warnsUnreturned(path): // reset by a PATCH of which only the repetition was seen
		case l.omitsMembers() && lifeAlikeMembers(config.At(names...), after.At(names...)): // which look like the declared ones
		case path == mappingsPath && p.unreported(path) && l.omitsMembers(): // a member that is omitted may be empty
		case path == mappingsPath:
			if reason := mappingsStand(config.At(names...), withoutMappings(after.At(names...), l.strangers(m, s, p)), mid.At(names...)); reason != "" {
				l.fail("declared", "%s: %s", path, reason)
			}
		case !lifeAlike(path, config.At(names...), after.At(names...)):
			l.fail("declared", "%s is declared as %s, and the platform has %s", path, lifeSpell(config.At(names...)), lifeSpell(after.At(names...)))
		}
	}
}

// strangers are the keys of mappings that were added on the platform after the plan of an
// update, which leaves them.
func (l *life) strangers(m *lifeMoment, s *lifeSubject, p *lifePlan) map[string]bool {
	keys := map[string]bool{}
	if l.spec.kind != "postgres" || !m.moved() || p.prior.IsNull() {
		return keys
	}
	names := strings.Split(mappingsPath, ".")
	had, wanted := mappingsByKey(p.prior.At(names...)), mappingsByKey(lifeValue(s.known, s.typ).At(names...))
	for key := range mappingsByKey(l.remote(m.mid).At(names...)) {
		_, before := had[key]
		_, declared := wanted[key]
		keys[key] = !before && !declared
	}
	return keys
}

func withoutMappings(set tfvalue.Value, keys map[string]bool) tfvalue.Value {
	if set.IsNull() {
		return set
	}
	return tfvalue.Collection(set.Type(), slices.DeleteFunc(set.Elements(), func(mapping tfvalue.Value) bool { return keys[keyOfMapping(mapping)] }))
}

// checkOverwritten: the plan of an adoption or a replacement warns about each value that it
// overwrites, and about no other. What is ignored in the old object isn't known there.
func (l *life) checkOverwritten(m *lifeMoment, s *lifeSubject, p *lifePlan) {
	if p.action != "create" && p.action != "replace" || p.action == "replace" && len(s.ignore) > 0 ||
		s.unknown != nil || m.once || m.fault != nil || !l.tellsAll() || len(l.driver.subjects) > 1 {
		return
	}
	summary := map[string]string{"create": "Creating this resource overwrites", "replace": "This replacement overwrites"}[p.action]
	text := ""
	for _, warning := range m.plannedWarnings {
		if strings.HasPrefix(warning, summary) {
			text += warning
		}
	}
	remote, config := l.remote(m.before), lifeValue(s.known, s.typ)
	for path := range l.declared(s, p.prior) {
		names := strings.Split(path, ".")
		want, now := config.At(names...), remote.At(names...)
		overwrites, says := !now.IsNull() && !lifeAlike(path, want, now), strings.Contains(text, "- "+path+" (currently ")
		if path == mappingsPath {
			overwrites, says = l.overwritesMappings(want, now), strings.Contains(text, "table mapping ")
		}
		if overwrites != says {
			l.fail("overwritten", "%s is %s on the platform and declared as %s, and the warning is %q", path, lifeSpell(now), lifeSpell(want), text)
		}
	}
}

// overwritesMappings reports whether a mapping is removed or changed; a new one overwrites
// nothing.
func (l *life) overwritesMappings(want, now tfvalue.Value) bool {
	wanted := mappingsByKey(want)
	for key, mapping := range mappingsByKey(now) {
		declared, ok := wanted[key]
		if !ok {
			return true
		}
		for name, member := range declared.Members() {
			if !member.IsNull() && !lifeAlike(name, member, mapping.At(name)) {
				return true
			}
		}
	}
	return false
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
	case p.action == "update" && differs == "" && lifeEqual(lifeLeafAt(p.planned, "source.validate_samples"), lifeLeafAt(p.prior, "source.validate_samples")):
		l.fail("noise", "nothing differs, and an update is planned from %s to %s", lifeSpell(p.prior), lifeSpell(p.planned))
	}
}

// unreported reports whether no read has returned a leaf yet, so that it keeps what was
// planned.
func (p *lifePlan) unreported(path string) bool {
	var texts map[string][]byte
	var leaves []string
	_ = json.Unmarshal(p.priorPrivate, &texts)
	_ = json.Unmarshal(texts["untold"], &leaves)
	return slices.Contains(leaves, path)
}

// untold reports whether responses omit a value.
func (l *life) untold(path string, remote tfvalue.Value) bool {
	return remote.IsNull() || l.omitsMembers() && lifeAlikeSpell(path, remote) == ""
}

func (m *lifeMoment) unreported(path string) bool {
	return slices.ContainsFunc(m.plans, func(p lifePlan) bool { return p.unreported(path) })
}

func (m *lifeMoment) warnsUnreturned(path string) bool {
	return slices.ContainsFunc(m.warnings, func(text string) bool {
		return strings.HasPrefix(text, "API does not return all values of") && strings.Contains(text+"\n", "- "+path+"\n")
	})
}

// omitsMembers reports whether responses omit empty members of elements.
func (l *life) omitsMembers() bool {
	return slices.ContainsFunc(l.features(), func(feature string) bool { return strings.HasPrefix(feature, "omits-empty:") })
}

// lifeAlikeMembers compares lists of objects without the members that are empty on the
// platform: where it omits them, they cannot be told from the declared ones.
func lifeAlikeMembers(declared, remote tfvalue.Value) bool {
	return declared.Type().Is(tftypes.List{}) && slices.EqualFunc(declared.Elements(), remote.Elements(), func(a, b tfvalue.Value) bool {
		for name, member := range b.Members() {
			if lifeAlikeSpell(name, member) != "" && !lifeAlike(name, member, a.At(name)) {
				return false
			}
		}
		return true
	})
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
		case !declared[path], p.unreported(path) && l.untold(path, now):
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
		if lifeAlike(leaf.path, now, kept) || p.unreported(leaf.path) && l.untold(leaf.path, now) {
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

// checkRest: nothing is left to be done, but for mappings that the plan did not have.
func (l *life) checkRest(m *lifeMoment, o *lifeOutcome, requests []mockplatform.Request) {
	strange := false
	for i, s := range l.driver.subjects {
		for _, is := range l.strangers(m, s, &m.plans[i]) {
			strange = strange || is
		}
	}
	for _, blame := range o.blames {
		l.fail("blame", "%s", blame)
	}
	for _, text := range o.errors {
		l.fail("rest-error", "the next plan fails: %s", text)
	}
	for _, p := range o.plans {
		if p.action == "none" || p.action == "error" || l.forgets(p) || strange && onlyMappingsDiffer(p) {
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

func onlyMappingsDiffer(p lifePlan) bool {
	return !slices.ContainsFunc(lifeDifferences(nil, p.prior, p.planned), func(difference string) bool {
		path, _, _ := strings.Cut(difference, ": ")
		return path != mappingsPath && path != "state" && path != "updated_at"
	})
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
