package rest

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// No spelling of a secret that another tool has written comes out, and a message with words of one is shown whole.
func TestSpellings(t *testing.T) {
	t.Parallel()
	var table struct {
		Secrets  []string `json:"secrets"`
		Ordinary []string `json:"ordinary"`
		Rows     [][3]any `json:"rows"`
	}
	text, _ := os.ReadFile("testdata/spellings.json")
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Rows {
		var c Secrets
		c.AddSecret(table.Secrets[int(row[1].(float64))])
		if got := c.Clean("it is "+row[2].(string)+" here", maxText); !strings.Contains(got, mask) || len(got) > 30 {
			t.Errorf("%s: %s", row[0], got)
		}
	}
	var c Secrets
	for _, secret := range append(table.Secrets[:2], "postgres-loader-2024", "correct horse battery staple") {
		c.AddSecret(secret)
	}
	c.AddSecret(table.Secrets[2], "k3y/Of+An0therAcc0unt/For+Tests/0nly==")
	for _, message := range table.Ordinary {
		if got := c.Clean(message, maxText); got != message {
			t.Errorf("%s became %s", message, got)
		}
	}
}
