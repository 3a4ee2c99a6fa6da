package adopt

import (
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// memory is what private state remembers of an object, as JSON: which leaves of the state no
// read has returned. If a read omits them, they keep their value; other leaves are
// then empty on the platform. And which leaves an update has changed without sending them. Once released, the
// name of a member must not change, because existing states contain it.
type memory struct {
	// WasRead reports whether the object was read before. If not, every leaf is unreturned.
	WasRead bool `json:"was_read,omitempty"`
	// Unreturned are the paths of the leaves of the state that no read has returned.
	Unreturned []string `json:"unreturned,omitempty"`
	// Reset are the paths of the leaves that an update of the object changed without sending them: the
	// platform may reset what a PATCH omits. Each later PATCH carries those of them that are managed.
	//
	// Rejected: a PATCH that carries all managed leaves. One leaf that an autoscaler has moved would send
	// the host of a source again without its credentials.
	Reset []string `json:"reset,omitempty"`
	// ImportedIn is the run that imported the state; "" once a later run has read it. A mere flag would not do: if the
	// import changes nothing, it stays in the state, and a later plan without a refresh would find it.
	ImportedIn string `json:"imported_in,omitempty"`
}

// decodePrivate reads the private state of an object. If it cannot be read in full, the object counts as read before, so that what
// no response contains shows as drift, once. Rejected: as not read. That hides drift for good.
func (e *Engine) decodePrivate(private []byte, state tfvalue.Value, diags *diag.Diagnostics) (m memory) {
	err := json.Unmarshal(private, &m)
	if isNone := !m.WasRead && m.ImportedIn == ""; len(private) > 0 && (err != nil || isNone) { // JSON of another form has neither
		m.WasRead = true
		diags.AddWarning("Private state cannot be read: "+e.label(state, state), "Another version of the provider has written it, or it was edited. "+
			"It says which values the API does not return. Until the next apply, such a value may show as drift, or drift in it may be hidden.")
	}
	return m
}

func (m memory) encode() []byte {
	written, _ := json.Marshal(m) //nolint:errchkjson // texts can always be written
	if string(written) == "{}" {
		return nil
	}
	return written
}

// isUnreturned reports whether no read has returned a leaf, or none ever will because no response contains it.
func (e *Engine) isUnreturned(m memory, at tfvalue.Path) bool {
	return !m.WasRead || slices.Contains(m.Unreturned, at.String()) || e.isNeverReturned(at)
}

func (e *Engine) isNeverReturned(at tfvalue.Path) bool {
	return slices.Contains(e.identifiers(), at[0]) ||
		slices.ContainsFunc(e.Rules.NotInJSON, func(p tfvalue.Path) bool { return len(at) >= len(p) && slices.Equal(at[:len(p)], p) })
}

// remember returns the memory of a state, given which of its leaves are unreturned.
func (o *observed) remember(state tfvalue.Value, unreturned func(tfvalue.Leaf) bool) memory {
	leaves := slices.DeleteFunc(state.Leaves(), func(leaf tfvalue.Leaf) bool { return o.isNeverReturned(leaf.Path) || !unreturned(leaf) })
	return memory{WasRead: true, Unreturned: tfvalue.Paths(leaves), Reset: o.memory.Reset}
}

// remembered returns the memory after reads: still unreturned are the leaves that none of these returned, either.
func (o *observed) remembered() memory {
	return o.remember(o.remote, func(leaf tfvalue.Leaf) bool {
		return o.isUnreturned(o.memory, leaf.Path) && o.returned.At(leaf.Path...).IsNull()
	})
}

// nextMemory returns the memory of the state after an update. Unreturned are the leaves that no read had returned
// before, those that were accepted and that no response has, and those that the platform did not have before,
// since only responses to PATCHes may have them. One that is in the prior state and was not sent is none of these: it was
// emptied after the plan. What has drifted counts as reset from now on.
func (u *update) nextMemory(state tfvalue.Value) memory {
	accepted := tfvalue.Paths(u.leavesThatAre(unconfirmed))
	next := u.remember(state, func(leaf tfvalue.Leaf) bool {
		isNew := u.start.remote.At(leaf.Path...).IsNull() && (u.start.Prior.At(leaf.Path...).IsNull() || !u.sent.At(leaf.Path...).IsNull())
		return isNew || u.isUnreturned(u.memory, leaf.Path) || slices.Contains(accepted, leaf.Path.String())
	})
	reset := slices.DeleteFunc(u.allDrifted(), func(leaf tfvalue.Leaf) bool { return !u.traits.Settable(leaf.Path) || u.isMappings(leaf.Path) })
	next.Reset = slices.Compact(slices.Sorted(slices.Values(slices.Concat(next.Reset, tfvalue.Paths(reset)))))
	return next
}
