package provider

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

const (
	answeredSecret = "hush-Hush-hu5h-s3cret"
	answeredID     = "5c0e8f6a-1111-4a4a-8b8b-000000000001"
)

// answer is one to the creation of a key: a row of the table below.
type answer struct {
	line, body int // statuses; 0 for none in the body
	isOwn      bool
	form       string
}

// fault is the answer, after the key was created.
func (a answer) fault() mockplatform.Fault {
	f := mockplatform.Fault{Operation: mockplatform.CreateKey, Status: a.line, After: true, Header: http.Header{"Content-Type": {"application/json"}}}
	var members []string
	if a.isOwn {
		members = append(members, `"requestId":"`+answeredID+`"`)
	}
	if a.body != 0 {
		members = append(members, fmt.Sprintf(`"status":%d`, a.body))
	}
	wide := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder()
	json := func(more ...string) string { return "{" + strings.Join(append(members, more...), ",") + "}" }
	whole := `"result":{"key":{"id":"` + answeredID + `"},"keyId":"i","keySecret":"` + answeredSecret + `"}`
	encoded := base64.StdEncoding.EncodeToString([]byte(answeredSecret))
	f.Text = map[string]string{
		"there":   json(whole),
		"beside":  json(`"keyId":"i","keySecret":"` + answeredSecret + `"`),
		"encoded": json(`"result":{"secret64":"`+encoded+`"}`, `"error":"it says so"`),
		"missing": json(`"error":"it says so"`),
		"cut":     strings.Split(json(whole), answeredSecret[10:])[0],
		"text":    "Your secret: " + answeredSecret,
		"base64":  encoded,
		"broken":  json(whole),
	}[a.form]
	switch a.form {
	case "wide":
		f.Text, _ = wide.String(json(whole))
	case "broken":
		f.Cut, f.CutBytes = mockplatform.CutBody, -40
	}
	return f
}

// TestAnswersToTheCreationOfAKey is what follows from each answer: how often the request is sent, what the state has, and what an
// error names. The key was created before each.
func TestAnswersToTheCreationOfAKey(t *testing.T) {
	t.Parallel()
	var rows []answer
	for _, line := range []int{200, 302, 400, 403, 409, 425, 429, 500} {
		for _, form := range strings.Fields("there beside encoded missing") {
			for _, body := range []int{0, 200, 400, 409, 429, 500} {
				rows = append(rows, answer{line, body, true, form}, answer{line, body, false, form})
			}
		}
		for _, form := range strings.Fields("cut text base64 wide broken") {
			rows = append(rows, answer{line, 0, false, form})
		}
	}
	t.Logf("%d rows", len(rows))
	inBubble(func(t *testing.T, f *fixture) {
		for _, row := range rows {
			f.ResetJournal()
			f.Inject(row.fault())
			b := f.key(lasting + "\nip_access_list = [{ source = \"192.0.2.10\" }]")
			r := b.tryApply()
			f.ClearFaults()
			row.check(t, b, r, f.Count("POST", ""))
		}
	})(t)
}

// check has the rules.
func (a answer) check(t *testing.T, b *managed, r *result, sent int) {
	hasSecret := a.form == "there" || a.form == "beside"
	isOwn := a.isOwn || a.line/100 == 2 && (a.form == "there" || a.form == "encoded") // by its result
	says := a.line
	if isOwn && a.body != 0 && (a.body/100 != 2 || a.line/100 == 2) {
		says = a.body
	}
	isEarly := (a.line == 425 || a.line == 429) && (says == 425 || says == 429) // or came too often
	isFiltered := slices.Contains([]string{"cut", "text", "base64", "wide", "broken"}, a.form)
	mayBe := !hasSecret && (a.line/100 != 4 || says/100 != 4 || isFiltered)
	wantSent, warns, text := 1, "", r.String()
	switch isWhole := a.form == "there" && a.line/100 == 2 && says/100 == 2; {
	case hasSecret && !isWhole:
		warns = `API key "n"`
	case !hasSecret && isEarly:
		wantSent = 2
		if !isOwn {
			warns = `Another API key than "n" (`
		}
	}
	fails := !hasSecret && wantSent == 1
	if sent != wantSent || (len(r.errors) > 0) != fails || b.state.IsNull() != fails {
		t.Errorf("%+v: sent %d times: %s", a, sent, text)
		return
	}
	if (len(r.warnings) > 0) != (warns != "") || !strings.Contains(strings.Join(r.warnings, " "), warns) {
		t.Errorf("%+v: warnings %s", a, text)
	}
	if hasSecret && b.shown()["key_secret"] != answeredSecret {
		t.Errorf("%+v: the state has %v", a, b.shown())
	}
	names := strings.Contains(text, `revoke it: name "n", organization `)
	begins := strings.HasPrefix(strings.Join(r.errors, ""), "Cannot create API key: The platform may have created the key") ||
		strings.HasPrefix(strings.Join(r.errors, ""), "Cannot create API key: The API created the key, but returned no secret")
	if fails && (names != mayBe || begins != mayBe) {
		t.Errorf("%+v: may be %t: %s", a, mayBe, text)
	}
	isAdvised := strings.Contains(text, "retry_timeout") || strings.Contains(text, "HTTPS_PROXY") && (isOwn || a.form == "broken")
	if fails && mayBe && a.line/100 == 2 && isAdvised {
		t.Errorf("%+v: what is advised: %s", a, text)
	}
	if a.form == "broken" && fails && !strings.Contains(text, fmt.Sprintf("A response with HTTP %d", a.line)) && a.line != 425 && a.line != 429 {
		t.Errorf("%+v: no status: %s", a, text)
	}
	if a.line/100 == 4 && (a.form == "text" || a.form == "base64" || a.form == "encoded") {
		return // a rejection is shown
	}
	wantNoText(t, text, answeredSecret, answeredSecret[:12], base64.StdEncoding.EncodeToString([]byte(answeredSecret))[:12], "h u s h")
}
