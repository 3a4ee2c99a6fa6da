package mockplatform

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// plain tells whether answers are written just as documents are stored.
func (a *Answers) plain() bool {
	return len(a.Sparse) == 0 && a.Numbers == "" && !a.UnknownMembers && !a.ShuffleSets &&
		!a.RepeatSetElements && len(a.OmitEnvelope) == 0
}

// distort changes a result, which is the caller's own copy, as Answers says.
func (s *Server) distort(operation Operation, a Answers, result any) any {
	if a.OmitConnectionString {
		if doc, ok := result.(Document); ok {
			prune(doc, []string{"source", "objectStorage", "connectionString"}, Sparse{})
		}
	}
	s.behaviourMu.Lock()
	defer s.behaviourMu.Unlock()
	if a.ShuffleSets {
		s.turn++
	}
	eachSet(result, func(set []any) []any {
		if a.ShuffleSets && len(set) > 1 {
			// Turning by one more each time never gives the same order twice
			// running, which chance would.
			by := s.turn % len(set)
			set = slices.Concat(set[by:], set[:by])
		}
		if a.RepeatSetElements && len(set) > 0 {
			set = append(set, clone(set[0]))
		}
		return set
	})
	for i, rule := range s.behaviour.Answers.Sparse {
		s.applySparse(i, rule, operation, result)
	}
	return result
}

func (s *Server) applySparse(i int, rule Sparse, operation Operation, result any) {
	if len(rule.Operations) > 0 && !slices.Contains(rule.Operations, operation) {
		return
	}
	if rule.Times > 0 && s.sparseLeft[i] == 0 {
		return
	}
	if prune(result, strings.Split(rule.Path, "."), rule) && rule.Times > 0 {
		s.sparseLeft[i]--
	}
}

// prune drops what a rule's path names, in every element of arrays on the way,
// and tells whether there was anything to drop.
func prune(value any, steps []string, rule Sparse) bool {
	dropped := false
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			dropped = prune(element, steps, rule) || dropped
		}
	case Document:
		for name, member := range value {
			dropped = pruneMember(value, name, member, steps, rule) || dropped
		}
	}
	return dropped
}

func pruneMember(parent Document, name string, member any, steps []string, rule Sparse) bool {
	step := steps[0]
	if step != name && step != "*" && step != "**" {
		return false
	}
	if len(steps) > 1 {
		return prune(member, steps[1:], rule)
	}
	if rule.OnlyEmpty && !isEmpty(member) {
		return step == "**" && prune(member, steps, rule)
	}
	if rule.Null {
		parent[name] = nil
	} else {
		delete(parent, name)
	}
	return true
}

// sets are the arrays without order.
var sets = []string{"ipAccessList", "roles", "reversePrivateEndpointIds", "tableMappings"}

func eachSet(value any, change func([]any) []any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			eachSet(element, change)
		}
	case Document:
		for name, member := range value {
			if set, ok := member.([]any); ok && slices.Contains(sets, name) {
				value[name] = change(set)
			}
			eachSet(member, change)
		}
	}
}

// spell writes numbers and adds unknown members, in the envelope too.
func (a *Answers) spell(value any) any {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			value[i] = a.spell(element)
		}
		return value
	case Document:
		for name, member := range value {
			value[name] = a.spell(member)
		}
		if a.UnknownMembers {
			return withUnknown(value)
		}
		return value
	case int:
		return a.spell(normalize(value))
	case json.Number:
		if a.Numbers != "" && !strings.ContainsAny(value.String(), ".eE") {
			return json.Number(value.String() + string(a.Numbers))
		}
		return value
	default:
		return value
	}
}

// members is an object with an order, which a map hasn't: encoding/json sorts.
type members []struct {
	name  string
	value any
}

func (m *members) add(name string, value any) {
	*m = append(*m, struct {
		name  string
		value any
	}{name, value})
}

// MarshalJSON writes the members in their order.
func (m members) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, member := range m {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(encode(member.name))
		out.WriteByte(':')
		out.Write(encode(member.value))
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// withUnknown adds members that the API document doesn't have. Those that
// differ from a known member in letter case stand before and after the known
// ones and hold other values, so that a client which doesn't mind the case
// ends up with a wrong value whichever it takes.
func withUnknown(doc Document) members {
	names := sortedNames(doc)
	var out members
	out.add("addedLater", "text")
	for _, name := range names {
		if other := strings.ToUpper(name); other != name {
			out.add(other, otherThan(doc[name]))
		}
	}
	for _, name := range names {
		out.add(name, doc[name])
	}
	for _, name := range names {
		other := strings.ToUpper(name[:1]) + name[1:]
		if upper := strings.ToUpper(name); other != name && other != upper {
			out.add(other, otherThan(doc[name]))
		}
	}
	out.add("addedNumber", json.Number("18446744073709551616"))
	out.add("addedFlag", true)
	out.add("addedNull", nil)
	out.add("addedList", []any{json.Number("1.5"), "two", Document{"three": nil}})
	out.add("addedObject", Document{"deeper": Document{"still": []any{}}})
	return out
}

// otherThan is another value of the same type.
func otherThan(value any) any {
	switch value := value.(type) {
	case string:
		return "not the " + value
	case json.Number:
		return json.Number("987654321")
	case bool:
		return !value
	case []any:
		return []any{}
	case members, Document:
		return Document{}
	default:
		return "not null"
	}
}
