package provider

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestThreatModel fails where SECURITY.md names a test that there isn't, or
// where a row of its threat model names none and doesn't say why.
func TestThreatModel(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		tests.Write(source)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, model, _ := strings.Cut(string(content), "\n## Who could learn which secret where\n")
	named := 0
	for line := range strings.Lines(model) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| who |") {
			continue
		}
		names := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllStringSubmatch(line, -1)
		for _, name := range names {
			named++
			if !strings.Contains(tests.String(), "\nfunc "+name[1]+"(") {
				t.Errorf("there is no %s", name[1])
			}
		}
		if cells := strings.Split(line, " | "); len(names) == 0 && strings.Trim(cells[len(cells)-1], " |\n") == "" {
			t.Errorf("nothing shows that this is so: %s", line)
		}
	}
	if named < 10 {
		t.Errorf("only %d tests were found in the threat model", named)
	}
}
