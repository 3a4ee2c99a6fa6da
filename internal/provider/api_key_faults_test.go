package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// moment is one request on its way through a fault: the row's fault decides
// whether the platform is reached at all, and what of its answer is sent.
type moment struct {
	w    http.ResponseWriter
	r    *http.Request
	body []byte
	next http.Handler
}

// make lets the platform make the key, and returns its true answer.
func (m *moment) make() []byte {
	recorder := httptest.NewRecorder()
	r := m.r.Clone(m.r.Context())
	r.Body = io.NopCloser(bytes.NewReader(m.body))
	m.next.ServeHTTP(recorder, r)
	return recorder.Body.Bytes()
}

// raw writes to the connection itself, and ends it: "cut", "reset", or "hang"
// until the client is gone.
func (m *moment) raw(text, end string) {
	connection, _, err := http.NewResponseController(m.w).Hijack()
	if err != nil {
		panic(err)
	}
	_, _ = io.WriteString(connection, text)
	switch end {
	case "reset":
		time.Sleep(100 * time.Millisecond) // a reset takes back what was not read yet
		_ = connection.(*net.TCPConn).SetLinger(0)
	case "hang":
		_, _ = connection.Read(make([]byte, 1))
	}
	_ = connection.Close()
}

func (m *moment) answer(status int, body string) {
	m.w.Header().Set("Content-Type", "application/json")
	m.w.Header().Set("X-Request-Id", "r-of-the-answer")
	m.w.WriteHeader(status)
	_, _ = io.WriteString(m.w, body)
}

func (m *moment) hang() { <-m.r.Context().Done() }

// head is the beginning of a good answer of so many bytes.
func head(length int) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Request-Id: r-of-the-head\r\nContent-Length: %d\r\n\r\n", length)
}

// keyFault is one row of the table.
type keyFault struct {
	fault func(*moment)
	keys  int    // that the platform holds afterwards
	told  string // "kept", "ambiguous" or "failed"
}

// trueAnswer is what the platform answers, in pieces of JSON.
type trueAnswer struct {
	RequestID json.RawMessage `json:"requestId"`
	Result    struct {
		Key       json.RawMessage `json:"key"`
		KeyID     json.RawMessage `json:"keyId"`
		KeySecret json.RawMessage `json:"keySecret"`
	} `json:"result"`
}

func answered(answer []byte) trueAnswer {
	var all trueAnswer
	if err := json.Unmarshal(answer, &all); err != nil {
		panic(err)
	}
	return all
}

// inOrder is the true answer in the order of the API document, or with the key
// last, so that the secret comes early.
func inOrder(answer []byte, keyLast bool) string {
	all := answered(answer)
	result := fmt.Sprintf(`"key":%s,"keyId":%s,"keySecret":%s`, all.Result.Key, all.Result.KeyID, all.Result.KeySecret)
	if keyLast {
		result = fmt.Sprintf(`"keyId":%s,"keySecret":%s,"key":%s`, all.Result.KeyID, all.Result.KeySecret, all.Result.Key)
	}
	return fmt.Sprintf(`{"status":200,"requestId":%s,"result":{%s}}`, all.RequestID, result)
}

func before(fault func(*moment)) keyFault { return keyFault{fault, 0, "ambiguous"} }

func after(fault func(*moment)) keyFault {
	return keyFault{func(m *moment) { m.make(); fault(m) }, 1, "ambiguous"}
}

func status(code int) func(*moment) {
	return func(m *moment) { m.answer(code, `{"message":"what a pity"}`) }
}

func reset(m *moment) { m.raw("", "reset") }

// result answers with another result than the true one, of which %s may be the
// key, its id and its secret.
func result(told, text string) keyFault {
	return keyFault{func(m *moment) {
		all := answered(m.make())
		m.answer(200, strings.NewReplacer("KEYID", string(all.Result.KeyID), "SECRET", string(all.Result.KeySecret), "KEY", string(all.Result.Key)).Replace(text))
	}, 1, told}
}

// cutIn ends the true answer in the middle of a member, or of its name.
func cutIn(member string, keyLast bool, told, end string) keyFault {
	return keyFault{func(m *moment) {
		text := inOrder(m.make(), keyLast)
		at := regexp.MustCompile(`"` + member + `":"?[^",]?`).FindStringIndex(text)[1]
		m.raw(head(len(text))+text[:at], end)
	}, 1, told}
}

func keyFaults() map[string]keyFault {
	rows := map[string]keyFault{
		"none":                      {func(m *moment) { m.answer(200, inOrder(m.make(), false)) }, 1, "kept"},
		"before: reset":             before(reset),
		"before: closed":            before(func(m *moment) { m.raw("", "cut") }),
		"before: hang":              before((*moment).hang),
		"before: redirect":          {func(m *moment) { m.w.Header().Set("Location", "/else"); m.answer(307, "") }, 0, "failed"},
		"after: reset":              after(reset),
		"after: closed":             after(func(m *moment) { m.raw("", "cut") }),
		"after: hang":               after((*moment).hang),
		"after: no HTTP":            after(func(m *moment) { m.raw("what?\r\n\r\n", "cut") }),
		"head: cut in status":       after(func(m *moment) { m.raw("HTTP/1.1 20", "cut") }),
		"head: cut in a field":      after(func(m *moment) { m.raw("HTTP/1.1 200 OK\r\nContent-Ty", "cut") }),
		"head: reset in a field":    after(func(m *moment) { m.raw("HTTP/1.1 200 OK\r\nContent-Ty", "reset") }),
		"head: cut at its end":      after(func(m *moment) { m.raw(head(500), "cut") }),
		"body: page":                after(func(m *moment) { m.answer(200, "<html><title>Sign in</title></html>") }),
		"body: empty":               after(func(m *moment) { m.answer(200, "") }),
		"body: 204":                 after(func(m *moment) { m.w.WriteHeader(204) }),
		"body: no result":           after(func(m *moment) { m.answer(200, `{"status":200}`) }),
		"body: null":                after(func(m *moment) { m.answer(200, `{"result":null}`) }),
		"body: error inside":        after(func(m *moment) { m.answer(200, `{"status":500,"error":"x"}`) }),
		"body: no secret":           result("missing", `{"requestId":"r-of-the-body","result":{"key":KEY,"keyId":KEYID}}`),
		"body: empty secret":        result("missing", `{"requestId":"r-of-the-body","result":{"key":KEY,"keyId":KEYID,"keySecret":""}}`),
		"body: null secret":         result("missing", `{"requestId":"r-of-the-body","result":{"key":KEY,"keyId":KEYID,"keySecret":null}}`),
		"body: other case":          result("missing", `{"requestId":"r-of-the-body","result":{"key":KEY,"keyid":KEYID,"keysecret":SECRET}}`),
		"body: no key":              result("kept", `{"result":{"keyId":KEYID,"keySecret":SECRET}}`),
		"body: key null":            result("kept", `{"result":{"key":null,"keyId":KEYID,"keySecret":SECRET}}`),
		"body: key empty":           result("kept", `{"result":{"key":{},"keyId":KEYID,"keySecret":SECRET}}`),
		"body: key a text":          result("kept", `{"result":{"key":"x","keyId":KEYID,"keySecret":SECRET}}`),
		"body: other types":         result("kept", `{"status":"200","requestId":7,"result":{"key":{"id":1,"name":2,"roles":"admin","keySuffix":3,"createdAt":4,"expireAt":5,"usedAt":{},"ipAccessList":{},"state":6},"keyId":KEYID,"keySecret":SECRET}}`),
		"body: other members":       result("kept", `{"Status":0,"result":{"KeySecret":"x","keysecreT":7,"key":{"Roles":7,"new":[{}]},"keyId":KEYID,"keySecret":SECRET,"keysecret":"y"},"Result":null}`),
		"body: trailing":            result("kept", `{"result":{"key":KEY,"keyId":KEYID,"keySecret":SECRET}} and more`),
		"body: broken before":       result("ambiguous", `{"result":{"key":{"id":nul},"keyId":KEYID,"keySecret":SECRET}}`),
		"body: status 500":          result("kept", `{"status":500,"result":{"key":KEY,"keyId":KEYID,"keySecret":SECRET}}`),
		"body: bare":                result("kept", `{"key":KEY,"keyId":KEYID,"keySecret":SECRET}`),
		"body: no key id":           result("kept", `{"result":{"key":KEY,"keySecret":SECRET}}`),
		"body: no key id and worse": result("kept", `{"result":{"key":{"createdAt":7},"keySecret":SECRET}}`),
		"body: key id a number":     result("kept", `{"result":{"key":KEY,"keyId":7,"keySecret":SECRET}}`),
		"body: hangs at its end": {func(m *moment) {
			text := inOrder(m.make(), false)
			m.w.Header().Set("Content-Length", fmt.Sprint(len(text)+1))
			m.answer(200, text)
			_ = http.NewResponseController(m.w).Flush()
			m.hang()
		}, 1, "kept"},
		"500 with the key": {func(m *moment) { m.answer(500, string(m.make())) }, 1, "kept"},
		"501 with the key": {func(m *moment) { m.answer(501, string(m.make())) }, 1, "kept"},
	}
	for _, code := range []int{400, 401, 403, 404, 409, 415, 422} {
		rows[fmt.Sprintf("before: %d", code)] = keyFault{status(code), 0, "failed"}
	}
	for _, code := range []int{500, 501, 502, 503, 504, 599} {
		rows[fmt.Sprintf("before: %d", code)] = before(status(code))
		rows[fmt.Sprintf("after: %d", code)] = after(status(code))
	}
	for _, end := range []string{"cut", "reset", "hang"} {
		for _, member := range []string{"status", "requestId", "key", "id", "name", "roles", "keySuffix", "createdAt", "expireAt", "usedAt", "ipAccessList", "keyId", "keySecret"} {
			rows["body: "+end+" in "+member] = cutIn(member, false, "ambiguous", end)
			rows["key last: "+end+" in "+member] = cutIn(member, true, "ambiguous", end)
		}
	}
	return rows
}

// faulty is a platform behind the rows' faults: a request meets that of the
// row whose name its key has.
func (f *fixture) faulty(rows map[string]keyFault) (address string, posts func(name string) int) {
	var mu sync.Mutex
	count := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := &moment{w: w, r: r, next: f.Server}
		m.body, _ = io.ReadAll(r.Body)
		var asked struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(m.body, &asked)
		mu.Lock()
		count[asked.Name]++
		mu.Unlock()
		rows[asked.Name].fault(m)
	}))
	f.t.Cleanup(server.Close)
	return server.URL, func(name string) int { mu.Lock(); defer mu.Unlock(); return count[name] }
}

// Every fault at every moment of the POST. No row ends with two keys, or with a
// secret that was received and not stored, and where a key may exist that
// nobody knows the secret of, the error says what to look for.
func TestAPIKeyFaults(t *testing.T) {
	f := newFixture(t)
	rows := keyFaults()
	address, posts := f.faulty(rows)
	f.url = address
	names := sortedKeys(rows)
	provider := f.provider(`request_timeout = "2s"`, `max_concurrent_requests = 200`)
	// A login that is rejected is rejected for the rest of a provider's run, so this row
	// has a provider of its own.
	const rejected = "before: 401"
	_, block, _ := strings.Cut(provider, "provider \"dataplatform\" {\n")
	config := provider + "provider \"dataplatform\" {\n  alias = \"rejected\"\n" + block + fmt.Sprintf(`
resource "dataplatform_api_key" "row" {
  for_each  = toset([%s])
  name      = each.key
  roles     = ["developer", "admin"]
  expire_at = "2031-01-01T00:00:00Z"
}
resource "dataplatform_api_key" "rejected" {
  provider  = dataplatform.rejected
  name      = %q
  roles     = ["developer", "admin"]
  expire_at = "2031-01-01T00:00:00Z"
}
`, strings.Join(quoted(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == rejected })), ", "), rejected)
	w := f.workspace(config)
	out := w.diagnostics("apply", "-auto-approve", "-parallelism=200")
	state := w.keys()
	secrets := map[string]string{}
	made := map[string]int{}
	for _, key := range f.Keys() {
		name := key["request"].(mockplatform.Document)["name"].(string)
		made[name]++
		secrets[name] = key["result"].(mockplatform.Document)["keySecret"].(string)
	}
	for _, name := range names {
		row, address := rows[name], fmt.Sprintf("dataplatform_api_key.row[%q]", name)
		if name == rejected {
			address = "dataplatform_api_key.rejected"
		}
		held, stored := state[address]
		all := out[address]
		if made[name] != row.keys || posts(name) != 1 {
			t.Errorf("%s: %d keys from %d requests, want %d from 1", name, made[name], posts(name), row.keys)
		}
		if stored != (row.told == "kept") || stored && (held.secret != secrets[name] || held.tainted) {
			t.Errorf("%s: state holds %+v, want it %s", name, held, row.told)
		}
		if row.told == "kept" {
			if len(all.errors) > 0 {
				t.Errorf("%s: %v", name, all.errors)
			}
			continue
		}
		if len(all.errors) != 1 {
			t.Errorf("%s: %d errors: %v", name, len(all.errors), all)
			continue
		}
		said := all.errors[0]
		if ambiguous := strings.Contains(said, "may have created the key"); ambiguous != (row.told == "ambiguous") {
			t.Errorf("%s: %s", name, said)
		}
		if row.told != "failed" {
			wantText(t, said, fmt.Sprintf("name %q, organization %s, roles admin, developer, expiry 2031-01-01T00:00:00Z", name, mockplatform.OrganizationID),
				"Look for the key in the platform's console and revoke it")
			wantNoText(t, said, "It is not known", "probably")
		}
		if !strings.Contains(said, "2031-01-01T00:00:00Z, request ID ") && (row.told == "missing" || regexp.MustCompile(`body: .* in |key last|00 |50. `).MatchString(name)) {
			t.Errorf("%s: the request id was received, and isn't told: %s", name, said)
		}
	}
	for name, secret := range secrets {
		if strings.Contains(fmt.Sprint(out), secret) {
			t.Errorf("%s: the secret is told", name)
		}
	}
}

// Before the platform did anything, asking again can do no harm.
func TestAPIKeyIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		faults []mockplatform.Fault
		posts  int
		keys   int
		said   string
	}{
		"429":            {[]mockplatform.Fault{{Status: 429}}, 2, 1, ""},
		"429 for long":   {[]mockplatform.Fault{{Status: 429, RetryAfter: time.Hour}}, 1, 0, "HTTP 429"},
		"429, then 500":  {[]mockplatform.Fault{{Status: 429}, {Status: 500, After: true}}, 2, 1, "may have created"},
		"429, then 400":  {[]mockplatform.Fault{{Status: 429}, {Status: 400}}, 2, 0, "HTTP 400"},
		"429, then lost": {[]mockplatform.Fault{{Status: 429}, {Reset: true, After: true}}, 2, 1, "may have created"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			for _, fault := range test.faults {
				f.Inject(fault)
			}
			d := f.newKeyDriver(t, nil)
			p := d.apply(plainKey)
			said := strings.Join(p.errors, "\n")
			if f.Count("POST", "") != test.posts || len(f.Keys()) != test.keys || (said == "") != (test.said == "") || d.state.IsNull() != (said != "") {
				t.Errorf("%d requests, %d keys, %s", f.Count("POST", ""), len(f.Keys()), p.diagnoses)
			}
			if test.said != "" {
				wantText(t, said, test.said)
			}
			if strings.Contains(said, "may have created") && test.said != "may have created" {
				t.Error(said)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		f := newFixture(t)
		d := f.newKeyDriver(t, args{"base_url": "http://127.0.0.1:1", "retry_timeout": "1s"})
		p := d.apply(plainKey)
		said := strings.Join(p.errors, "\n")
		if said == "" || strings.Contains(said, "may have created") || !d.state.IsNull() {
			t.Error(p.diagnoses)
		}
	})
}

// The answer breaks off after each of its bytes, in either order: the secret is
// in the state if the result is whole, and else there is an error and no state.
func TestAPIKeyAnswerCutAfterEachByte(t *testing.T) {
	t.Parallel()
	for _, keyLast := range []bool{false, true} {
		t.Run(fmt.Sprintf("key last %v", keyLast), func(t *testing.T) {
			f := newFixture(t)
			cut := 0
			var whole string
			f.url, _ = f.faulty(map[string]keyFault{"n": {fault: func(m *moment) {
				whole = inOrder(m.make(), keyLast)
				m.raw(head(len(whole))+whole[:min(cut, len(whole))], "cut")
			}}})
			d := f.newKeyDriver(t, nil)
			for length := 1; cut < length; cut++ {
				d.reset()
				p := d.apply(plainKey)
				length = len(whole)
				keys := f.Keys()
				secret := keys[len(keys)-1]["result"].(mockplatform.Document)["keySecret"].(string)
				complete := len(whole) - 1 // but for the last brace
				switch {
				case len(keys) != cut+1:
					t.Fatalf("cut after %d bytes: %d keys", cut, len(keys)-cut)
				case cut < complete && (!d.state.IsNull() || len(p.errors) != 1 || !strings.Contains(p.errors[0], "may have created")):
					t.Fatalf("cut after %d bytes: %s\n%s", cut, whole[:cut], p.diagnoses)
				case cut >= complete && (len(p.errors) > 0 || d.get("key_secret") != secret || cut < length && len(p.warnings) == 0):
					t.Fatalf("cut after %d bytes: %s\n%s", cut, whole[:cut], p.diagnoses)
				}
			}
		})
	}
}
