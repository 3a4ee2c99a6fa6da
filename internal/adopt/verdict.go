package adopt

import "github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"

// record is what is known of one leaf after a PATCH. Values are null if there is none.
type record struct {
	tfvalue.Leaf // Value is what the platform returned last before the PATCH
	wanted       tfvalue.Value
	sent         bool
	now          tfvalue.Value // in the response
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

// judge returns the verdict on a leaf:
//
//	response        | sent            | not sent
//	----------------|-----------------|----------------------------------
//	omits it        | notReturned     | moved
//	 … and empty is expected, or it was never returned: confirmed
//	has another     | storedOtherwise | moved
//	has it          | confirmed       | confirmed
func judge(rules tfvalue.Rules, r record) verdict {
	expected := r.wanted
	if expected.IsNull() {
		expected = r.Value
	}
	omitted := missing(rules, r)
	switch {
	case omitted && expected.IsEmpty():
		return confirmed
	case omitted && r.sent:
		return notReturned
	case omitted:
		return moved
	case r.now.IsNull(), rules.Confirms(r.Name(), expected, rules.WholeLeaf(r.Name(), r.now)):
		return confirmed
	case r.sent:
		return storedOtherwise
	default:
		return moved
	}
}

// missing reports whether the response omits a leaf that was sent, or that was
// returned before. An empty leaf that is sent and was never returned is not missing: an
// omitted one means the same. Of a keyed set that was not sent, members can be missing
// too.
func missing(rules tfvalue.Rules, r record) bool {
	if key, keyed := rules.Keys[r.Name()]; keyed && !r.now.IsNull() {
		return !r.sent && !key.HasAll(r.now, r.Value)
	}
	return r.now.IsNull() && (r.sent && !r.wanted.IsEmpty() || !r.Value.IsNull())
}

// doubtful reports whether one more read can change the verdict: a response may omit
// any leaf once, and may show the object as it was before the PATCH.
func doubtful(rules tfvalue.Rules, r record) bool {
	return missing(rules, r) || judge(rules, r) == storedOtherwise
}
