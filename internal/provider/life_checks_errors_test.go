package provider

import (
	"net/http"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// incomplete reports whether mappings have to be rejected.
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

// checkRefusals: mappings are rejected when they have to be, and nothing is sent.
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
		if s.ignores(mappingsPath) || l.wrongKind(m.before) || l.wrongKind(m.mid) || m.unreported(mappingsPath) {
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
		case m.fault != nil && (strings.HasPrefix(summary, "Cannot ") || strings.HasSuffix(summary, "is only partly updated")):
		case summary == incompleteMapping: // checked already
		case (l.blind(mappingsPath) || m.unreported(mappingsPath)) && strings.Contains(m.String(), "source.postgres.tableMappingsTo"): // nobody can know what is mapped
		case m.moved() && (l.has("one-target") || l.has("one-table")) && strings.Contains(m.String(), "source.postgres.tableMappingsToAdd: "): // taken after the plan
		case l.blind(mappingsPath) && strings.HasPrefix(summary, "API stored a different value for "+mappingsPath): // likewise
		case !l.answersWrites() && slices.ContainsFunc(l.all, func(leaf lifeLeaf) bool {
			return l.blind(leaf.path) && strings.HasPrefix(summary, "API stored a different value for "+leaf.path+" of")
		}): // the response is from before the change, and no read returns the value
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
	told := slices.ContainsFunc(m.errors, func(text string) bool { return strings.Contains(text, "is only partly updated") })
	if removed && pending != told {
		l.fail("half-done", "mappings were removed, added yet: %v, told: %v", !pending, told)
	}
}
