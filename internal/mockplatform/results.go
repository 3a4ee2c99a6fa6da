package mockplatform

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// rewriteResult applies Responses to a result, which is the caller's own copy.
func (s *Server) rewriteResult(result any) any {
	s.behaviourMu.Lock()
	defer s.behaviourMu.Unlock()
	responses := &s.behaviour.Responses
	if responses.ShuffleSets {
		s.rotation++
	}
	eachSet(result, func(set []any) []any {
		if responses.ShuffleSets && len(set) > 1 {
			// Unlike a random order, a rotation by one more each time never repeats
			// the previous order.
			by := s.rotation % len(set)
			set = slices.Concat(set[by:], set[:by])
		}
		if responses.RepeatSetElements && len(set) > 0 {
			set = append(set, clone(set[0]))
		}
		return set
	})
	for i := range responses.Sparse {
		responses.Sparse[i].omit(result, strings.Split(responses.Sparse[i].Path, "."))
	}
	return result
}

// sets are the unordered arrays.
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

// omit removes the members at a path, in every element of arrays on the way.
func (rule *Sparse) omit(value any, steps []string) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			rule.omit(element, steps)
		}
	case Document:
		for name := range value {
			if step := steps[0]; step == name || step == "*" || step == "**" {
				rule.omitMember(value, name, steps)
			}
		}
	}
}

func (rule *Sparse) omitMember(parent Document, name string, steps []string) {
	if len(steps) > 1 {
		rule.omit(parent[name], steps[1:])
		return
	}
	empty := rule.isEmpty(parent[name])
	if rule.OnlyEmpty && steps[0] == "**" {
		rule.omit(parent[name], steps)
	}
	switch {
	case rule.OnlyEmpty && !empty:
	case rule.Null:
		parent[name] = nil
	default:
		delete(parent, name)
	}
}

func (rule *Sparse) isEmpty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case bool:
		return rule.Zeros && !value
	case json.Number:
		number, err := value.Float64()
		return rule.Zeros && err == nil && number == 0
	case []any:
		return len(value) == 0
	case Document:
		return len(value) == 0
	default:
		return false
	}
}

// addUnknownMembers adds unknown members to all objects in a value.
func addUnknownMembers(value any) any {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			value[i] = addUnknownMembers(element)
		}
	case Document:
		for name, member := range value {
			value[name] = addUnknownMembers(member)
		}
		return withUnknownMembers(value)
	}
	return value
}

// withUnknownMembers adds members that the API document does not have. Names that
// differ from a known one only in letter case come before and after it: a client
// that ignores case gets a wrong value, whether it keeps the first or the last.
func withUnknownMembers(doc Document) json.RawMessage {
	before := Document{"addedLater": "text"}
	after := Document{
		"addedNumber": json.Number("18446744073709551616"), "addedFlag": true, "addedNull": nil,
		"addedList":   []any{json.Number("1.5"), "two", Document{"three": nil}},
		"addedObject": Document{"deeper": Document{"still": []any{}}},
	}
	const wrong = "the value of another member"
	for name := range doc {
		if upper := strings.ToUpper(name); upper != name {
			before[upper] = wrong
			after[upper[:1]+name[1:]] = wrong
		}
	}
	// The text is joined, since encoding/json would sort the members of one map.
	var parts [][]byte
	for _, part := range []Document{before, doc, after} {
		if len(part) > 0 {
			parts = append(parts, bytes.TrimSuffix(bytes.TrimPrefix(encode(part), []byte("{")), []byte("}")))
		}
	}
	return slices.Concat([]byte("{"), bytes.Join(parts, []byte(",")), []byte("}"))
}
