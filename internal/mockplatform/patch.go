package mockplatform

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// merge applies a PATCH to a document. Objects are merged member by member, and
// all other values are replaced.
func (p *Patches) merge(s *schema, doc, sent Document, resetsOmitted bool) {
	for name, member := range s.Properties {
		value, present := sent[name]
		switch {
		case member.WriteOnly:
		case !present && resetsOmitted:
			p.reset(member, doc, name)
		case !present:
		case member.Type == "object":
			child, ok := doc[name].(Document)
			if !ok {
				child = Document{}
				doc[name] = child
			}
			p.merge(member, child, asDocument(value), p.Resets.Nested)
		default:
			doc[name] = clone(value)
		}
	}
}

// reset changes only members that the document has, so that no other source kind
// appears.
func (p *Patches) reset(s *schema, doc Document, name string) {
	if _, ok := doc[name]; !ok || s.WriteOnly {
		return
	}
	if child, ok := doc[name].(Document); ok {
		for inner, member := range s.Properties {
			p.reset(member, child, inner)
		}
		return
	}
	switch {
	case p.Resets.To == ToAbsent:
		delete(doc, name)
	case p.Resets.To == ToInitial && s.Default != nil:
		doc[name] = s.Default
	default:
		doc[name] = clone(emptyValues[s.Type])
	}
}

// rewrite applies the rules for an operation to what it stores.
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

// store stores the document after a PATCH, and returns the result.
func (h *handler) store(o *object, after Document) Document {
	before := o.doc
	o.replace(after)
	if h.fault.Result == ResultBefore {
		return before
	}
	return h.shown(o)
}

// shown is the document of an object that a response shows.
func (h *handler) shown(o *object) Document { return o.before(h.behaviour.Responses.Lag) }

func (h *handler) updatePipe() (any, error) {
	found, err := h.pipe()
	if err != nil {
		return nil, err
	}
	if h.fault.Half {
		h.body = removals(h.body)
	}
	doc := cloneDocument(found.doc) // a rejected PATCH changes nothing
	if err := h.checkSourceKinds(doc); err != nil {
		return nil, err
	}
	patches := &h.behaviour.Patches
	patches.merge(pipeBody, doc, h.body, patches.Resets.TopLevel)
	if err := h.changeTableMappings(doc); err != nil {
		return nil, err
	}
	patches.rewrite(UpdatePipe, doc, h.body)
	h.advance(doc)
	found.keepSecrets(asDocument(h.body["source"]))
	return h.store(found, doc), nil
}

// removals is what a PATCH does first if it is carried out half way.
func removals(body Document) Document {
	mappings, _ := lookup(body, "source.postgres.tableMappingsToRemove")
	return Document{"source": Document{"postgres": Document{"tableMappingsToRemove": asList(mappings)}}}
}

// checkSourceKinds rejects source kinds that the pipe does not have.
func (h *handler) checkSourceKinds(doc Document) error {
	source := asDocument(doc["source"])
	for _, kind := range slices.Sorted(maps.Keys(asDocument(h.body["source"]))) {
		if _, ok := source[kind]; !ok && !pipeBody.Properties["source"].Properties[kind].WriteOnly {
			return reject(http.StatusBadRequest, "the pipe has no source.%s", kind)
		}
	}
	return nil
}

// secretMembers are the members of a source kind that PipeSecrets returns.
var secretMembers = []string{"credentials", "accessKey", "connectionString"}

func (o *object) keepSecrets(source Document) {
	for kind, sent := range source {
		for name, value := range asDocument(sent) {
			if !slices.Contains(secretMembers, name) {
				continue
			}
			if o.secrets[kind] == nil {
				o.secrets[kind] = Document{}
			}
			asDocument(o.secrets[kind])[name] = clone(value)
		}
	}
}

var mappingID = []string{"sourceSchemaName", "sourceTable", "targetTable"}

// changeTableMappings applies tableMappingsToRemove and tableMappingsToAdd.
func (h *handler) changeTableMappings(doc Document) error {
	stored, _ := lookup(doc, "source.postgres")
	sent, _ := lookup(h.body, "source.postgres")
	adds, removes := asList(asDocument(sent)["tableMappingsToAdd"]), asList(asDocument(sent)["tableMappingsToRemove"])
	if len(adds)+len(removes) == 0 {
		return nil
	}
	patches := &h.behaviour.Patches
	if patches.DemandsPause {
		if doc["state"] != "Paused" {
			return reject(http.StatusBadRequest, "the pipe must be paused to change its table mappings")
		}
		doc["state"] = "Running"
	}
	mappings := slices.Clone(asList(asDocument(stored)["tableMappings"]))
	for _, element := range removes {
		remove := asDocument(element)
		at := findMapping(mappings, remove, mappingID)
		if at < 0 {
			return reject(http.StatusBadRequest, "source.postgres.tableMappingsToRemove: %s.%s is not mapped to %s",
				remove["sourceSchemaName"], remove["sourceTable"], remove["targetTable"])
		}
		mappings = slices.Delete(mappings, at, at+1)
	}
	for _, element := range adds {
		add := asDocument(element)
		if findMapping(mappings, add, mappingID) >= 0 {
			return reject(http.StatusBadRequest, "source.postgres.tableMappingsToAdd: %s.%s is already mapped",
				add["sourceSchemaName"], add["sourceTable"])
		}
		if patches.OneTablePerTarget && findMapping(mappings, add, mappingID[2:]) >= 0 {
			return reject(http.StatusBadRequest, "source.postgres.tableMappingsToAdd: %s is already the target of another table",
				add["targetTable"])
		}
		mapping := Document{"excludedColumns": []any{}, "useCustomSortingKey": false, "sortingKeys": []any{}}
		maps.Copy(mapping, cloneDocument(add))
		mappings = append(mappings, mapping)
	}
	asDocument(stored)["tableMappings"] = mappings
	return nil
}

// findMapping returns the index of the first mapping that has the wanted values of
// these members, or -1.
func findMapping(mappings []any, wanted Document, members []string) int {
	return slices.IndexFunc(mappings, func(element any) bool {
		mapping := asDocument(element)
		return !slices.ContainsFunc(members, func(name string) bool { return mapping[name] != wanted[name] })
	})
}

// advance changes what the platform itself changes with a PATCH. A new updatedAt
// is always later than the old one, even if the clock has not advanced.
func (h *handler) advance(doc Document) {
	now := h.behaviour.now()
	before, err := time.Parse(time.RFC3339, text(doc, "updatedAt"))
	if err == nil && !now.Truncate(time.Millisecond).After(before) {
		now = before.Add(time.Millisecond)
	}
	doc["updatedAt"] = timestamp(now)
}
