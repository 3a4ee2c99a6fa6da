package rest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A secret is masked in each of its spellings, the longest one if one begins with another. One
// of fewer than four bytes is none, and a UUID stays legible if a secret is only a part of it.
func TestMask(t *testing.T) {
	t.Parallel()
	const secret, keyID = `se"c/r<e>t` + "\n" + `ü\`, "id:"
	const partlySecret, wholeSecret = "5f0e0e0e-0000-4000-8000-400000000000", "6f0e0e0e-0000-4000-8000-400000000000"
	var c Secrets
	for _, literal := range []string{secret, keyID + secret, "wxyz", "begin", "beginning", "abc", "", partlySecret[:8], wholeSecret} {
		c.Add(literal)
	}
	for text, want := range map[string]string{
		"a " + secret + " z":       "a *** z",
		`a se"c/r<e>t ü\ z`:        "a *** z",
		"a wxyz z":                 "a *** z",
		"a beginning, begin z":     "a ***, *** z",
		"a " + partlySecret + " z": "a ***-0000-4000-8000-400000000000 z",
		wholeSecret:                mask,
		"{" + partlySecret + "}":   "{***-0000-4000-8000-400000000000}",
		partlySecret[:35] + "g":    "***-0000-4000-8000-40000000000g",
		base64.RawStdEncoding.EncodeToString([]byte(secret)):         mask,
		base64.RawURLEncoding.EncodeToString([]byte(secret)):         mask,
		base64.RawStdEncoding.EncodeToString([]byte(keyID + secret)): mask,
	} {
		if got := c.Mask(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
	often := "%" + strings.Repeat("25", maxDecoded-2) + "41"
	if c.Mask("%25"+often[1:]) != mask {
		t.Error("a text that is escaped more often than anything real is not withheld")
	}
	for _, text := range []string{often, partlySecret, "abc, nothing, YWJj", `50 % of "C:\new", &c. and it''s a+b`, "%zz \\", `\`, "%", "&#;", `\u12`} {
		if got := c.Mask(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	c.Add("later")
	if got := c.Mask("a later z"); got != "a *** z" {
		t.Errorf("a secret that is added later: %q", got)
	}
}

// ways are the ways in which a response may escape a text.
var ways = []func(string) string{
	url.PathEscape,
	url.QueryEscape,
	html.EscapeString,
	inJSON,
	func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) },
	func(s string) string { return each([]rune(s), "&#%d;") },
	func(s string) string { return each([]rune(s), "&#x%X;") },
	func(s string) string { return each([]byte(s), "%%%02x") },
	func(s string) string { return each(utf16.Encode([]rune(s)), `\u%04x`) },
}

func each[T any](units []T, format string) string {
	var b strings.Builder
	for _, unit := range units {
		fmt.Fprintf(&b, format, unit)
	}
	return b.String()
}

func inJSON(s string) string {
	quoted, _ := json.Marshal(s)
	return string(quoted[1 : len(quoted)-1])
}

// A text in which decoding shows a secret is withheld as a whole, in any way and in any two
// of them, also if the secret looks like an escape.
func TestHiddenSecretIsWithheld(t *testing.T) {
	t.Parallel()
	var c Secrets
	secrets := []string{`p'a"s/s-wörd+%<b>&amp;\n😀`, "plain-secret", `%41%42%43%44`}
	for _, secret := range secrets {
		c.Add(secret)
	}
	for _, secret := range secrets {
		for _, outer := range ways {
			for _, inner := range ways {
				written := "before, " + outer(inner(secret)) + " and after"
				if got := c.Mask(written); got != mask && got != "before, *** and after" {
					t.Errorf("%s became %s", written, got)
				}
			}
		}
	}
}

// Whatever is around a secret, and however it is escaped, it does not come out. White space
// separates it: in "%0" before "0", the two are another character.
func FuzzMask(f *testing.F) {
	f.Add("secret", "a ", " b", []byte{})
	f.Add("aaaa", "aaa", "aa", []byte{1})
	f.Add(`it's "50%"`, `\`, "%", []byte{8, 3})
	f.Add("pässword&amp;", "&amp", "41", []byte{7, 7, 0})
	f.Fuzz(func(t *testing.T, secret, before, after string, chain []byte) {
		isOdd := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError || r == ' ' }
		decoded, ok := decode(secret)
		if !ok || len(decoded) < minSecretLength || len(chain) > 4 || strings.ContainsFunc(secret+decoded, isOdd) {
			t.Skip()
		}
		written := secret
		for _, way := range chain {
			written = ways[int(way)%len(ways)](written)
		}
		if strings.Contains(before+" "+mask+" "+after, written) {
			t.Skip()
		}
		var c Secrets
		c.Add(secret)
		if got := c.Mask(before + " " + written + " " + after); strings.Contains(got, written) {
			t.Errorf("%q, written as %q, came out: %q", secret, written, got)
		}
	})
}
