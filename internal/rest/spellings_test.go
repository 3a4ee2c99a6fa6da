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
		Secrets []string
		Rows    [][3]any
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
	for message := range strings.Lines(`The quick brown fox jumps over the lazy dog.
a troubadour is not a fox
50% of the quota is used: 50%=half, see a+b
Größenwahn is no valid role; Ärger über Öl
die Straße 7 ist gesperrt (§7)
The AccountName is missing: DefaultEndpointsProtocol must be https
EndpointSuffix has to be core.example
the account lake has no key for tests
password authentication failed for user "postgres"
loader "postgres-lo" of 2024 does not exist
postgres: connection refused (loader, 2024)
horse: unknown field; battery: unknown field
correct the staple and run it again
key_id and key_secret are wrong
password must have at least 12 characters, got 8
%20 is not valid in a name, use %2B or =20
\u00e4 and \xe4 and \344 are no names
The SHA-256 is e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
Ref: dGhlIHF1aWNrIGJyb3duIGZveA==
invalid JSON at {"name":"a \"quick\" one","size":"50%"}`) {
		if message = strings.TrimSpace(message); c.Clean(message, maxText) != message {
			t.Errorf("%s became %s", message, c.Clean(message, maxText))
		}
	}
}
