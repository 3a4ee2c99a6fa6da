package adopt

import "github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"

// record is what is known of one leaf after a PATCH. A value that does not exist is null.
type record struct {
	tfvalue.Leaf               // Value is what the platform last returned before the PATCH
	wanted       tfvalue.Value // null if the leaf is unmanaged
	sent         bool
	now          tfvalue.Value // in the response

	verdict
	// isPast reports that the value is not the expected one, but one that the leaf had before. The
	// response may show the past, so more reads follow for a while.
	isPast bool
	// doubtful reports that another read can change the verdict, because a response may omit any
	// leaf once, or show the object as it was before the PATCH.
	doubtful bool
}

// verdict is what a response means for a leaf.
type verdict int

const (
	// confirmed: the leaf is as it should be, as far as the platform returns it.
	confirmed verdict = iota
	// changedUnsent: the leaf was not sent, and is no longer what it was.
	changedUnsent
	// storedOtherwise: the leaf was sent, and the platform returns another value.
	storedOtherwise
	// notReturned: the leaf was sent and accepted, and the platform returns none.
	notReturned
)

// judge sets the verdict on a leaf:
//
//	response        | sent            | not sent
//	----------------|-----------------|----------------------------------
//	omits it        | notReturned     | changedUnsent
//	 … and empty is expected, or it was never returned: confirmed
//	has another     | storedOtherwise | changedUnsent
//	has it          | confirmed       | confirmed
//
// If a leaf was sent empty and was never returned, its omission says nothing new.
func (r *record) judge(rules tfvalue.Rules) {
	omitted := r.now.IsNull() && (r.sent && !r.wanted.IsEmpty() || !r.Value.IsNull())
	expected := r.wanted
	if expected.IsNull() {
		expected = r.Value
	}
	switch {
	case omitted && expected.IsEmpty(), !omitted && r.now.IsNull():
		r.verdict = confirmed
	case omitted && r.sent:
		r.verdict = notReturned
	case omitted:
		r.verdict = changedUnsent
	case rules.Confirms(r.Name(), expected, rules.FillLeaf(r.Name(), r.now)):
		r.verdict = confirmed
	case r.sent:
		r.verdict = storedOtherwise
	default:
		r.verdict = changedUnsent
	}
	r.isPast = r.isPast && (r.verdict == storedOtherwise || r.verdict == changedUnsent)
	r.doubtful = omitted || r.verdict == storedOtherwise || r.isPast
}

// isReset reports whether a PATCH has changed a managed leaf that it omitted.
func (r *record) isReset() bool { return !r.wanted.IsNull() && r.verdict == changedUnsent }
