package adopt

import (
	"encoding/json"
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// memory is what is kept of an object beside its state, in private state: which
// leaves of the state no read has told. They keep their value where a read
// omits them; others are empty on the platform then.
type memory struct {
	// read says that the object was read at all. Without it nothing was told.
	read   bool
	untold []string
}

// The framework's form of private state, which it writes in an import: JSON
// texts by key.
const (
	untoldKey   = "untold"
	importedKey = ".import_before_read"
)

// decodePrivate reads private state, and whether the object was imported just
// now. What can't be read is ignored: nothing in it is worth failing for.
func decodePrivate(private []byte) (m memory, imported bool) {
	var texts map[string][]byte
	if json.Unmarshal(private, &texts) != nil {
		return m, false
	}
	m.read = json.Unmarshal(texts[untoldKey], &m.untold) == nil
	_, imported = texts[importedKey]
	return m, imported
}

func (m memory) encode() []byte {
	if !m.read {
		return nil
	}
	untold, _ := json.Marshal(m.untold)                              //nolint:errchkjson // strings can always be written
	private, _ := json.Marshal(map[string][]byte{untoldKey: untold}) //nolint:errchkjson // likewise
	return private
}

// isUntold reports whether no read has told a leaf. What the platform doesn't
// hold is never told.
func (e *Engine) isUntold(m memory, at tfvalue.Path) bool {
	return !m.read || slices.Contains(m.untold, at.String()) || e.isUnmanaged(at)
}

func (e *Engine) isUnmanaged(at tfvalue.Path) bool {
	return slices.Contains(e.identifiers(), at[0]) ||
		slices.ContainsFunc(e.Unmanaged, func(p tfvalue.Path) bool { return len(at) >= len(p) && slices.Equal(at[:len(p)], p) })
}

// remember is the memory of the leaves of a state for which untold says so.
func (e *Engine) remember(state tfvalue.Value, untold func(tfvalue.Leaf) bool) memory {
	m := memory{read: true, untold: []string{}}
	for _, leaf := range state.Leaves() {
		if !e.isUnmanaged(leaf.Path) && untold(leaf) {
			m.untold = append(m.untold, leaf.Path.String())
		}
	}
	return m
}

// rememberRead is the memory after a read: what it told is untold no more.
func (e *Engine) rememberRead(known, read tfvalue.Value, last memory) memory {
	return e.remember(known, func(leaf tfvalue.Leaf) bool {
		return e.isUntold(last, leaf.Path) && !e.tells(read, leaf)
	})
}

// tells reports whether a read tells a leaf, and a keyed set in full.
func (e *Engine) tells(read tfvalue.Value, leaf tfvalue.Leaf) bool {
	now := read.At(leaf.Path...)
	key, keyed := e.Rules.Keys[leaf.Name()]
	return !now.IsNull() && (!keyed || key.Tells(now, leaf.Value))
}
