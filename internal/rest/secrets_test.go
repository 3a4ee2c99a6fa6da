package rest

import (
	"encoding/base64"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

func TestMask(t *testing.T) {
	t.Parallel()
	var c Secrets
	const secret = `se"c/r<e>t` + "\n" + `ü\`
	c.Add(secret)
	c.Add("bearer-token")
	c.Add("id:" + secret)
	c.Add("abc")       // too short
	c.Add("wxyz")      // long enough
	c.Add("begin")     // begins another
	c.Add("beginning") // and must not leave "ning" standing
	c.Add("")
	for _, text := range []string{
		secret, "wxyz", "bearer-token", "beginning", "begin", `se"c/r<e>t ü\`,
		base64.RawStdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)),
		base64.RawStdEncoding.EncodeToString([]byte("id:" + secret)),
	} {
		if got := c.Mask("a " + text + " z"); got != "a *** z" {
			t.Errorf("%q became %q", text, got)
		}
	}
	c.Add("later")
	if c.Mask("a later z") != "a *** z" {
		t.Error("a secret that is added later is not masked")
	}
	for _, text := range []string{"abc, nothing, YWJj", `50 % of "C:\new", &c. and it''s a+b`, "%zz \\", `\`, "%", "&#;", `\u12`} {
		if got := c.Mask(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// ways are the ways in which a response may write a text.
var ways = []func(string) string{
	url.QueryEscape,
	url.PathEscape,
	func(s string) string { return strings.ToLower(url.PathEscape(strings.ToLower(s))) }, // of a secret in lower case
	func(s string) string { return encodeURIComponent.Replace(url.PathEscape(s)) },
	func(s string) string { return each(s, func(r rune) string { return percented([]byte(string(r))) }) },
	func(s string) string { return strings.ReplaceAll(each(s, inUTF16), `\`, "%") },
	func(s string) string { return each(s, inLatin1) },
	html.EscapeString,
	func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#%d;", r) }) },
	func(s string) string { return each(s, func(r rune) string { return fmt.Sprintf("&#x%X;", r) }) },
	inJSON,
	func(s string) string { return strings.ReplaceAll(inJSON(s), "/", `\/`) },
	func(s string) string { return htmlInJSON.Replace(inJSON(s)) },
	func(s string) string { return each(s, inUTF16) },
	func(s string) string { return strings.ReplaceAll(s, "'", "''") },
	func(s string) string { return strings.ReplaceAll(s, `"`, `""`) },
	func(s string) string {
		return strings.ReplaceAll(each(s, func(r rune) string { return percented([]byte(string(r))) }), "%", `\x`)
	},
	strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace,
}

var (
	encodeURIComponent = strings.NewReplacer("$", "%24", "&", "%26", "+", "%2B", ":", "%3A", "=", "%3D", "@", "%40", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")
	htmlInJSON         = strings.NewReplacer("<", `\u003c`, ">", `\u003E`, "&", `\u0026`)
)

func each(s string, write func(rune) string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteString(write(r))
	}
	return b.String()
}

func percented(bytes []byte) (s string) {
	for _, b := range bytes {
		s += fmt.Sprintf("%%%02x", b)
	}
	return s
}

func inUTF16(r rune) (s string) {
	for _, unit := range utf16.Encode([]rune{r}) {
		s += fmt.Sprintf(`\u%04x`, unit)
	}
	return s
}

func inLatin1(r rune) string {
	if r > 0xff { // JavaScript's escape function, which old programs use, writes these otherwise
		return strings.ReplaceAll(inUTF16(r), `\`, "%")
	}
	return fmt.Sprintf("%%%02X", r)
}

func inJSON(s string) string {
	quoted, _ := json.Marshal(s)
	return string(quoted[1 : len(quoted)-1])
}

// A text in which decoding shows a secret is withheld as a whole, in any way and in any two
// of them.
func TestHiddenSecretIsWithheld(t *testing.T) {
	t.Parallel()
	const secret = `p'a"s/s wörd+%<b>&amp;\n😀`
	var c Secrets
	c.Add(secret)
	c.Add("lower-cäse")
	for i, outer := range ways {
		for j, inner := range ways {
			hidden := secret
			if i == 2 || j == 2 {
				hidden = "lower-cäse"
			}
			written := outer(inner(hidden))
			if got := c.Mask("before, " + written + " and after"); strings.Contains(got, written) || got != withheld && !strings.Contains(got, mask) {
				t.Errorf("%s became %s", written, got)
			}
		}
	}
}

// What would take too long to decode is withheld.
func TestDecodingIsBounded(t *testing.T) {
	t.Parallel()
	var c Secrets
	c.Add("secret")
	endless := "%" + strings.Repeat("25", 100) + "&" + strings.Repeat("amp;", 100) + strings.Repeat("'", 1000)
	if got := c.Mask(endless); got != withheld {
		t.Errorf("%.100s", got)
	}
}

// Whatever is around a secret, and in whichever ways it is written, it does not come out.
// White space separates it: in "%0" before "0", the two are another character.
func FuzzMask(f *testing.F) {
	f.Add("secret", "a ", " b", []byte{})
	f.Add("aaaa", "aaa", "aa", []byte{1})
	f.Add(`it's "50%"`, `\`, "%", []byte{12, 4})
	f.Add("pässword&amp;", "&amp", "41", []byte{8, 8, 0})
	f.Add("wörd", "%2", ";", []byte{4, 6, 11, 12})
	f.Fuzz(func(t *testing.T, secret, before, after string, chain []byte) {
		isOdd := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
		if len(secret) < minSecretLength || len(chain) > 4 || strings.ContainsFunc(secret, isOdd) {
			t.Skip()
		}
		written := secret
		for _, way := range chain {
			if i := int(way) % len(ways); i != 2 {
				written = ways[i](written)
			}
		}
		if strings.Contains(before+" "+mask+" "+after, written) || strings.Contains(withheld, written) {
			t.Skip()
		}
		var c Secrets
		c.Add(secret)
		if got := c.Mask(before + " " + written + " " + after); strings.Contains(got, written) {
			t.Errorf("%q, written as %q, came out: %q", secret, written, got)
		}
	})
}

func TestIsUUID(t *testing.T) {
	t.Parallel()
	const id = "5f0e0e0e-0000-4000-8000-400000000000"
	for text, want := range map[string]bool{
		id: true, strings.ToUpper(id): true, "": false, id[:35]: false, id[:35] + "g": false, id + "0": false,
		strings.ReplaceAll(id, "-", ""): false, "{" + id + "}": false, "urn:uuid:" + id: false,
	} {
		if IsUUID(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
}
