package adopt

import "github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"

// record is what is known of one leaf after a PATCH. Values are null if there is none.
type record struct {
	tfvalue.Leaf               // Value is what the platform returned last before the PATCH
	wanted       tfvalue.Value // null if it is unmanaged
	sent         bool
	now          tfvalue.Value // in the response

	verdict
	// isPast reports that the value is none that was expected, and one that the leaf had before:
	// the response may be of the past, and as long as that may be, more reads follow.
	isPast bool
	// doubtful reports that one more read can change the verdict: a response may omit any
	// leaf once, and may show the object as it was before the PATCH.
	doubtful bool
}

// verdict is what a response means for a leaf.
type verdict int

const (
	// confirmed: the platform has the leaf as it should, as far as it returns it.
	confirmed verdict = iota
	// moved: the leaf was not sent, and is no longer what it was.
	moved
	// storedOtherwise: the leaf was sent, and the platform returns another value.
	storedOtherwise
	// notReturned: the leaf was sent and accepted, and the platform returns none.
	notReturned
)

// judge sets the verdict on a leaf:
//
//	response        | sent            | not sent
//	----------------|-----------------|----------------------------------
//	omits it        | notReturned     | moved
//	 … and empty is expected, or it was never returned: confirmed
//	has another     | storedOtherwise | moved
//	has it          | confirmed       | confirmed
//
// A leaf that was sent empty and was never returned is not missing: an omitted one means
// the same.
func (r *record) judge(rules tfvalue.Rules) {
	missing := r.now.IsNull() && (r.sent && !r.wanted.IsEmpty() || !r.Value.IsNull())
	expected := r.wanted
	if expected.IsNull() {
		expected = r.Value
	}
	switch {
	case missing && expected.IsEmpty(), !missing && r.now.IsNull():
		r.verdict = confirmed
	case missing && r.sent:
		r.verdict = notReturned
	case missing:
		r.verdict = moved
	case rules.Confirms(r.Name(), expected, rules.WholeLeaf(r.Name(), r.now)):
		r.verdict = confirmed
	case r.sent:
		r.verdict = storedOtherwise
	default:
		r.verdict = moved
	}
	r.isPast = r.isPast && (r.verdict == storedOtherwise || r.verdict == moved)
	r.doubtful = missing || r.verdict == storedOtherwise || r.isPast
}

// isReset reports whether a PATCH has changed a managed leaf that it omitted.
func (r *record) isReset() bool { return !r.wanted.IsNull() && r.verdict == moved }
