package adopt

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// TestJudge has a leaf before a PATCH, what was wanted and sent, and the response: "-"
// is an omitted one. A doubtful verdict is that of a response that another read may
// correct.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                string
		before, wanted, now string
		sent                bool
		want                verdict
		doubtful            bool
	}{
		{name: "sent and returned", before: "a", wanted: "b", now: "b", sent: true, want: confirmed},
		{name: "sent, and returned as something else", before: "a", wanted: "b", now: "c", sent: true, want: storedOtherwise, doubtful: true},
		{name: "sent and omitted", before: "a", wanted: "b", now: "-", sent: true, want: notReturned, doubtful: true},
		{name: "sent and omitted, like before", before: "-", wanted: "b", now: "-", sent: true, want: notReturned, doubtful: true},
		{name: "emptied and omitted", before: "a", wanted: "", now: "-", sent: true, want: confirmed, doubtful: true},
		{name: "emptied, and not empty", before: "a", wanted: "", now: "c", sent: true, want: storedOtherwise, doubtful: true},
		{name: "empty, sent and omitted, like before", before: "-", wanted: "", now: "-", sent: true, want: confirmed},
		{name: "owned and stays", before: "a", wanted: "a", now: "a", want: confirmed},
		{name: "owned and changes", before: "a", wanted: "a", now: "c", want: changedUnsent},
		{name: "owned and omitted", before: "a", wanted: "a", now: "-", want: changedUnsent, doubtful: true},
		{name: "owned and never returned", before: "-", wanted: "a", now: "-", want: confirmed},
		{name: "owned, empty and changes", before: "", wanted: "", now: "c", want: changedUnsent},
		{name: "owned, empty and omitted", before: "", wanted: "", now: "-", want: confirmed, doubtful: true},
		{name: "unmanaged and stays", before: "a", wanted: "-", now: "a", want: confirmed},
		{name: "unmanaged and changes", before: "a", wanted: "-", now: "c", want: changedUnsent},
		{name: "unmanaged and omitted", before: "a", wanted: "-", now: "-", want: changedUnsent, doubtful: true},
		{name: "unmanaged, empty and omitted", before: "", wanted: "-", now: "-", want: confirmed, doubtful: true},
	} {
		text := func(s string) tfvalue.Value {
			if s == "-" {
				return tfvalue.Null(tftypes.String)
			}
			return tfvalue.String(s)
		}
		r := record{Leaf: tfvalue.Leaf{Path: tfvalue.Path{"name"}, Value: text(test.before)}, wanted: text(test.wanted), now: text(test.now), sent: test.sent}
		r.judge(tfvalue.Rules{})
		if r.verdict != test.want || r.doubtful != test.doubtful {
			t.Errorf("%s: verdict %d, doubtful %t; want %d, %t", test.name, r.verdict, r.doubtful, test.want, test.doubtful)
		}
	}
}
