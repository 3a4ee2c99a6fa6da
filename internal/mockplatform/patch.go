package mockplatform

import (
	"net/http"
	"slices"
	"time"
)

// merging carries out a PATCH on a document, guided by the shape of its body.
type merging struct {
	patches Patches
	secrets Document // what is kept for tests, by the path of its parent
}

// object merges one object of the body. Objects are merged member by member,
// everything else is replaced whole.
func (m *merging) object(s *shape, doc, sent Document, path string) {
	resets := m.patches.Resets.TopLevel
	if path != "" {
		resets = m.patches.Resets.Nested
	}
	for name, member := range s.members {
		value, present := sent[name]
		if present && member.secret && m.secrets != nil {
			m.keep(path, name, value)
		}
		switch {
		case member.aside:
		case !present && resets:
			m.reset(member, doc, name)
		case !present:
		case member.kind == anObject:
			child, ok := doc[name].(Document)
			if !ok {
				child = Document{}
				doc[name] = child
			}
			m.object(member, child, asDocument(value), join(path, name))
		default:
			doc[name] = clone(value)
		}
	}
}

// reset puts back what a settable member had before anybody set it. What the
// document doesn't have, such as other source kinds, isn't made up.
func (m *merging) reset(s *shape, doc Document, name string) {
	if _, ok := doc[name]; !ok || s.aside {
		return
	}
	if child, ok := doc[name].(Document); ok {
		for inner, member := range s.members {
			m.reset(member, child, inner)
		}
		return
	}
	switch {
	case m.patches.Resets.To == ToAbsent:
		delete(doc, name)
	case m.patches.Resets.To == ToInitial && s.initial != nil:
		doc[name] = s.initial
	default:
		doc[name] = s.empty()
	}
}

func (m *merging) keep(path, name string, value any) {
	kind := path[len("source."):] // secrets are found directly in a source kind only
	kept, ok := m.secrets[kind].(Document)
	if !ok {
		kept = Document{}
		m.secrets[kind] = kept
	}
	kept[name] = clone(value)
}

// rewrite puts other values in place of those that a request set.
func (p *Patches) rewrite(operation Operation, doc, sent Document) {
	for _, rule := range p.Rewrites {
		if rule.Operation != operation {
			continue
		}
		if _, ok := lookup(sent, rule.Path); !ok && !rule.Unsent {
			continue
		}
		parent, name := walk(doc, rule.Path)
		if parent != nil {
			parent[name] = normalize(rule.To(parent[name]))
		}
	}
}

func (x *exchange) updatePipe() (any, error) {
	st := x.server.store
	st.mu.Lock()
	defer st.mu.Unlock()
	found, err := x.pipe()
	if err != nil {
		return nil, err
	}
	// Both are copies: a refused PATCH changes nothing.
	doc, secrets := cloneDocument(found.doc), cloneDocument(found.secrets)
	if err := x.checkKinds(doc); err != nil {
		return nil, err
	}
	merge := merging{patches: x.behaviour.Patches, secrets: secrets}
	merge.object(pipeShape, doc, x.submitted, "")
	if err := x.mapTables(doc); err != nil {
		return nil, err
	}
	x.behaviour.Patches.rewrite(UpdatePipe, doc, x.submitted)
	x.move(doc)
	found.doc, found.secrets = doc, secrets
	return cloneDocument(doc), nil
}

// checkKinds refuses source kinds that the pipe doesn't have.
func (x *exchange) checkKinds(doc Document) error {
	source := asDocument(doc["source"])
	for _, kind := range sortedNames(asDocument(x.submitted["source"])) {
		if _, ok := source[kind]; !ok && !sourceShape.members[kind].aside {
			return refuse(http.StatusBadRequest, "source.%s: the pipe has no such source", kind)
		}
	}
	return nil
}

// mapTables carries out tableMappingsToAdd and tableMappingsToRemove.
func (x *exchange) mapTables(doc Document) error {
	sent, _ := lookup(x.submitted, "source.postgres")
	orders := asDocument(sent)
	adds, removes := asList(orders["tableMappingsToAdd"]), asList(orders["tableMappingsToRemove"])
	if len(adds)+len(removes) == 0 {
		return nil
	}
	found, _ := lookup(doc, "source.postgres")
	postgres := asDocument(found)
	mappings := tableMappings{mappings: slices.Clone(asList(postgres["tableMappings"])), patches: x.behaviour.Patches}
	var err error
	if x.behaviour.Patches.AddsFirst {
		mappings.held = removes
		err = mappings.addAll(adds)
		if err == nil {
			err = mappings.removeAll(removes)
		}
	} else {
		err = mappings.removeAll(removes)
		if err == nil {
			err = mappings.addAll(adds)
		}
	}
	postgres["tableMappings"] = mappings.mappings
	return err
}

// tableMappings are a pipe's mappings while a PATCH changes them.
type tableMappings struct {
	mappings []any
	held     []any // source tables not free yet, as this request removes them later
	patches  Patches
}

func (t *tableMappings) addAll(adds []any) error {
	for _, element := range adds {
		add := asDocument(element)
		occupied := t.find(t.mappings, add, "sourceSchemaName", "sourceTable", "targetTable") >= 0 ||
			t.find(t.held, add, "sourceSchemaName", "sourceTable") >= 0 ||
			t.patches.OneTargetPerTable && t.find(t.mappings, add, "sourceSchemaName", "sourceTable") >= 0
		if occupied {
			return refuse(http.StatusBadRequest, "source.postgres.tableMappingsToAdd: %s.%s is mapped already",
				text(add, "sourceSchemaName"), text(add, "sourceTable"))
		}
		mapping := Document{"excludedColumns": []any{}, "useCustomSortingKey": false, "sortingKeys": []any{}}
		for name, value := range add {
			mapping[name] = clone(value)
		}
		t.mappings = append(t.mappings, mapping)
	}
	return nil
}

func (t *tableMappings) removeAll(removes []any) error {
	for _, element := range removes {
		remove := asDocument(element)
		at := t.find(t.mappings, remove, "sourceSchemaName", "sourceTable", "targetTable")
		if at < 0 {
			return refuse(http.StatusBadRequest, "source.postgres.tableMappingsToRemove: %s.%s is not mapped to %s",
				text(remove, "sourceSchemaName"), text(remove, "sourceTable"), text(remove, "targetTable"))
		}
		t.mappings = slices.Delete(t.mappings, at, at+1)
	}
	return nil
}

// find is the first mapping that agrees in these members.
func (t *tableMappings) find(in []any, wanted Document, members ...string) int {
	return slices.IndexFunc(in, func(element any) bool {
		have := asDocument(element)
		return !slices.ContainsFunc(members, func(name string) bool { return have[name] != wanted[name] })
	})
}

// pipeStates are the states that PATCHes move a pipe through.
var pipeStates = []string{"Running", "Provisioning", "Paused"}

// move is what the platform itself changes in a pipe that was patched. Its
// updatedAt is always later than the one before, however coarse the clock.
func (x *exchange) move(doc Document) {
	now := x.behaviour.now()
	before, err := time.Parse(time.RFC3339, text(doc, "updatedAt"))
	if err == nil && !now.Truncate(time.Millisecond).After(before) {
		now = before.Add(time.Millisecond)
	}
	doc["updatedAt"] = timestamp(now)
	if x.behaviour.Patches.MovesState {
		at := slices.Index(pipeStates, text(doc, "state"))
		doc["state"] = pipeStates[(at+1)%len(pipeStates)]
	}
}
