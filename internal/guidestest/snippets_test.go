package guidestest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

var fencedTerraform = regexp.MustCompile("(?s)```terraform\n(.*?)```")

// TestSnippets applies each configuration that the guides show, on a platform of its
// own: a snippet that stops working fails it. Fences of another language than terraform
// are no whole configurations. TestReadme and TestOfflineGuide follow the others.
func TestSnippets(t *testing.T) {
	t.Parallel()
	found := 0
	for _, page := range pages(t) {
		content := fileText(t, page)
		for _, snippet := range fencedTerraform.FindAllStringSubmatchIndex(content, -1) {
			line := 1 + strings.Count(content[:snippet[0]], "\n")
			text := content[snippet[2]:snippet[3]]
			found++
			t.Run(filepath.Base(page)+":"+strconv.Itoa(line), func(t *testing.T) {
				if needs, ok := terraformtest.NeededBy(t, text); ok && !strings.Contains(text, fmt.Sprintf("# Requires %s, or later.", needs)) {
					t.Errorf("the snippet doesn't say that it requires %s, or later", needs)
				}
				f := newFixture(t)
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, "snippet.tf"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				f.example(dir, "snippet.tf").appliesAndStays()
			})
		}
	}
	if found < 8 {
		t.Errorf("only %d snippets were found", found)
	}
}

// pages are the documents that people write, but for those that a test follows: what is
// generated from them is tested with them.
func pages(t *testing.T) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir("../../templates", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && path != offlineGuide {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
