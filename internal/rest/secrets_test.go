package rest

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// A secret that stands in a text as it is becomes three asterisks, the longest one if one begins
// with another. A text that repeats a part of one is withheld, or all of a short one in another
// form, and no other text. One of fewer than four bytes is none.
func TestMask(t *testing.T) {
	t.Parallel()
	const secret = `it's "a" \secret<of>` + "\n" + `fünf words/+=`
	var c Secrets
	for _, literal := range []string{secret, "postgres-loader-2024", "wxyz", "begin", "beginning", "abc", "", "a b:c d", " padded-secret\n", "\U0001F600-smile"} {
		c.AddSecret(literal)
	}
	c.AddSecret("Host=a-host-of-ours;Key=key-of-the-connection", "key-of-the-connection")
	for text, want := range map[string]string{
		"a " + words.Clean(secret, 99) + " z":           "a *** z",
		"a beginning, begin z, no padded-secret":        "a ***, *** z, no ***",
		"a\nb postgres-loa\nc":                          "a\n***\nc",
		"Host=a-host-of-ours;Key=key-of-the-connection": mask,
		"no host a-host-of-ours":                        "no host a-host-of-ours",
		"no postgres-lo|ader-2024":                      "no postgres-lo|ader-2024", // eleven
		"oader-2024 postgres-l":                         "oader-2024 postgres-l",
		"abc, nothing, YWJj":                            "abc, nothing, YWJj",
	} {
		if got := c.Mask(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	withheld := []string{
		"postgres-loader-2024 as postgres-loader", "no POSTGRES-LOA", "ostgres-load", "Begin", "key-of-the-connection",
		`\ud83d\ude00-smile`, `key\u0026#45;of-the-conne\u0026#99;tion`, "x" + hex.EncodeToString([]byte("wxyz")),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for _, inner := range []string{secret, "begin", "wxyz"} {
			for before := range 5 {
				withheld = append(withheld, "a "+encoding.EncodeToString([]byte(strings.Repeat("u", before)+inner+"and more")))
			}
		}
	}
	for _, text := range withheld {
		if got := c.Mask(text); got != mask {
			t.Errorf("%q became %q", text, got)
		}
	}
	c.AddSecret("later")
	if got := c.Clean("not\x1b[31m\u202e  a later "+strings.Repeat("z", maxText), 20); got != "not [31m a *** zzzzz…" {
		t.Errorf("not clean: %q", got)
	}
}

// What stands behind the name of a secret is masked in any text, also in one that is cut off.
func TestMaskNamed(t *testing.T) {
	t.Parallel()
	var c Secrets
	c.MaskNamed("encryptionKey", "connectionString")
	for text, want := range map[string]string{
		`"encryptionKey":"hush", "name":"x"`:            `"encryptionKey":"***", "name":"x"`,
		`{'encryption_key': 'hush'}`:                    `{'encryption_key': '***`,
		`\"encryptionKey\":\"hush\",\"name\":1`:         `\"encryptionKey\":\"***",\"name\":1`,
		`"connectionString":"Host=a;Password=\"hu;sh\"`: `"connectionString":"***`,
		"<encryptionKey>hush</encryptionKey>":           "<encryptionKey>***</encryptionKey>",
		"<td>Encryption key</td><td>hush</td>":          "<td>Encryption key</td><td>***</td>",
		"EncryptionKey=hush":                            "EncryptionKey=***",
		"%22encryptionKey%22%3A%22hush%22":              mask,
		`"encryption\u004bey":"hush"`:                   mask,
		"the encryption key is missing":                 "the encryption key is missing",
	} {
		if got := c.Clean(text, maxText); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

// No twelve characters in a row of a secret come out, whatever is around them.
func FuzzMask(f *testing.F) {
	f.Add("a secret of many characters", "a ", " b", uint(3))
	f.Add("aaaaaaaaaaaaaaaa", "aaa", "aa", uint(0))
	f.Add(`it's "50%" of the \whole`, `\`, "%", uint(2))
	f.Fuzz(func(t *testing.T, secret, before, after string, start uint) {
		characters := []rune(words.Clean(secret, len(secret)))
		if !utf8.ValidString(secret) || len(characters) < runLength {
			t.Skip()
		}
		var c Secrets
		c.AddSecret(secret)
		at := int(start % uint(len(characters)-runLength+1))
		run := string(characters[at : at+runLength])
		if strings.TrimSpace(run) != run || strings.Contains(before+mask+after, run) {
			t.Skip()
		}
		if got := c.Clean(before+" "+run+" "+after, maxText); strings.Contains(got, run) {
			t.Errorf("%q of %q came out: %q", run, secret, got)
		}
	})
}
