package words

import (
	"fmt"
	"strings"
	"testing"
)

// What is said of several things is one line, with their number and twenty of them. What has no text is a line each.
func TestListRemarks(t *testing.T) {
	t.Parallel()
	twenty := ""
	for i := range 20 {
		twenty += fmt.Sprintf("t%d, ", i)
	}
	twenty = strings.TrimSuffix(twenty, ", ")
	for n, want := range map[int]string{
		1: "  - t0: c7", 20: "  - c7 (20 tables: " + twenty + ")", 1000: "  - c7 (1,000 tables: " + twenty + ", …)",
	} {
		all := []Remark{{"alone", "c7, c8"}, {"a", ""}}
		for i := range n {
			all = append(all, Remark{fmt.Sprintf("t%d", i), "c7"}, Remark{"t0", "c7"})
		}
		if got := ListRemarks(append(all, Remark{"b", ""}), "table"); got != "  - alone: c7, c8\n  - a\n"+want+"\n  - b" {
			t.Errorf("%d tables: %s", n, got)
		}
	}
}
