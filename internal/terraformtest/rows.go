package terraformtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rows plays each row of a table as a subtest of its name. One that fails says where it is.
func Rows[Row any](t *testing.T, all map[string]Row, play func(t *testing.T, row Row)) {
	t.Helper()
	for name, row := range all {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() {
				files, _ := filepath.Glob("*_test.go")
				for _, file := range files {
					source, _ := os.ReadFile(file)
					if before, _, found := strings.Cut(string(source), fmt.Sprintf("\t%q: ", name)); found && t.Failed() {
						t.Logf("the row is in %s:%d", file, 1+strings.Count(before, "\n"))
					}
				}
			})
			play(t, row)
		})
	}
}
