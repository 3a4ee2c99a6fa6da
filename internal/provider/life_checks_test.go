package provider

import (
	"encoding/json"
	"fmt"
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
		case !declared, l.blind(path), l.swallowed(path, m.after), p.unreported(path):
		case path == mappingsPath:
			if reason := mappingsStand(config.At(names...), after.At(names...), mid.At(names...)); reason != "" {
				l.fail("declared", "%s: %s", path, reason)
			}
		case !lifeAlike(path, config.At(names...), after.At(names...)):
			l.fail("declared", "%s is declared as %s, and the platform has %s", path, lifeSpell(config.At(names...)), lifeSpell(after.At(names...)))
		}
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
