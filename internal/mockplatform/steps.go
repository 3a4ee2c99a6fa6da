package mockplatform

import (
	"maps"
	"slices"
	"time"
)

// delay returns the document after a PATCH without what arrives later, and lets that arrive: one
// replica after the other, and the members of new table mappings. Whoever changes the object
// meanwhile wins.
func (st *store) delay(o *object, after Document, every time.Duration) Document {
	after = cloneDocument(after)
	if now, wanted := float(o.doc, "numReplicas"), float(after, "numReplicas"); now != wanted {
		after["numReplicas"] = o.doc["numReplicas"]
		st.approach(o, now, wanted, every)
	}
	for _, mapping := range mappingsOf(after) {
		if findMapping(mappingsOf(o.doc), asDocument(mapping), mappingID) < 0 {
			full := cloneDocument(asDocument(mapping))
			maps.DeleteFunc(asDocument(mapping), func(name string, _ any) bool { return !slices.Contains(mappingID, name) })
			time.AfterFunc(every, func() { st.complete(o, full) })
		}
	}
	return after
}

// approach moves the number of replicas by one, again and again, unless somebody else has.
func (st *store) approach(o *object, now, wanted float64, every time.Duration) {
	time.AfterFunc(every, func() {
		st.mu.Lock()
		defer st.mu.Unlock()
		if now == wanted || float(o.doc, "numReplicas") != now {
			return
		}
		next := now + 1
		if wanted < now {
			next = now - 1
		}
		doc := cloneDocument(o.doc)
		doc["numReplicas"] = normalize(next)
		o.replace(doc)
		st.approach(o, next, wanted, every)
	})
}

// complete gives a table mapping its members, unless it is gone or has some.
func (st *store) complete(o *object, full Document) {
	st.mu.Lock()
	defer st.mu.Unlock()
	doc := cloneDocument(o.doc)
	at := findMapping(mappingsOf(doc), full, mappingID)
	if at < 0 {
		return
	}
	if mapping := asDocument(mappingsOf(doc)[at]); len(mapping) == len(mappingID) {
		maps.Copy(mapping, full)
		o.replace(doc)
	}
}
