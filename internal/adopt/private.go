package adopt

import (
	"encoding/json"
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// memory is what private state remembers of an object: which leaves of the state no
// read has returned. If a read omits them, they keep their value; other leaves are
// then empty on the platform.
type memory struct {
	// read reports whether the object was read before. If not, every leaf is
	// unreported.
	read       bool
	unreported []string
	// imported reports that the state is that of an import, and was not read yet.
	imported bool
	// importedIn is the run that imported the state, "" once it was read again. It names the run,
	// since an import that changes nothing leaves this memory in the state, where a plan without
	// a refresh finds it.
	importedIn string
}

// The keys of private state. Its form is that of the framework, which writes it in an
// import: JSON texts by key. They must not change, since existing states contain them.
const (
	unreportedKey = "untold"
	importedKey   = ".import_before_read"
	importedInKey = "imported_in"
)

// decodePrivate reads private state. Content that it cannot read is ignored, since
// nothing in it justifies an error.
func decodePrivate(private []byte) (m memory) {
	var texts map[string][]byte
	if json.Unmarshal(private, &texts) != nil {
		return m
	}
	m.read = json.Unmarshal(texts[unreportedKey], &m.unreported) == nil
	_, m.imported = texts[importedKey]
	_ = json.Unmarshal(texts[importedInKey], &m.importedIn)
	return m
}

func (m memory) encode() []byte {
	if !m.read {
		return nil
	}
	texts := map[string][]byte{}
	texts[unreportedKey], _ = json.Marshal(m.unreported) //nolint:errchkjson // strings can always be written
	if m.importedIn != "" {
		texts[importedInKey], _ = json.Marshal(m.importedIn) //nolint:errchkjson // likewise
	}
	private, _ := json.Marshal(texts) //nolint:errchkjson // likewise
	return private
}

// isUnreported reports whether no read has returned a leaf, or none ever will because
// no response contains it.
func (e *Engine) isUnreported(m memory, at tfvalue.Path) bool {
	return !m.read || slices.Contains(m.unreported, at.String()) || e.isNeverReturned(at)
}

func (e *Engine) isNeverReturned(at tfvalue.Path) bool {
	return slices.Contains(e.identifiers(), at[0]) ||
		slices.ContainsFunc(e.Rules.NotInJSON, func(p tfvalue.Path) bool { return len(at) >= len(p) && slices.Equal(at[:len(p)], p) })
}

// remember returns the memory of a state whose leaves are unreported as given.
func (e *Engine) remember(state tfvalue.Value, unreported func(tfvalue.Leaf) bool) memory {
	m := memory{read: true, unreported: []string{}}
	for _, leaf := range state.Leaves() {
		if !e.isNeverReturned(leaf.Path) && unreported(leaf) {
			m.unreported = append(m.unreported, leaf.Path.String())
		}
	}
	return m
}

// rememberRead returns the memory after a read: the leaves that were unreported and
// that the read did not return either.
func (e *Engine) rememberRead(remote, read tfvalue.Value, last memory) memory {
	return e.remember(remote, func(leaf tfvalue.Leaf) bool {
		return e.isUnreported(last, leaf.Path) && read.At(leaf.Path...).IsNull()
	})
}
