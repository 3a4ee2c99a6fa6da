package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// TestPlatformRepeatsPartsOfSecrets has the secrets in connection strings, and a platform that repeats a part
// of one: the message is withheld if it is a part of a secret, and shown if it is of the rest. In which
// spelling a secret may stand in a message is tested in package rest.
func TestPlatformRepeatsPartsOfSecrets(t *testing.T) {
	t.Parallel()
	const (
		key       = "bm90LWEtcmVhbC1rZXktb2YtYW4tYWNjb3VudA/+YnV0LWxvbmc="
		storage   = "DefaultEndpointsProtocol=https;AccountName=ourstorage;AccountKey=" + key + ";EndpointSuffix=core.windows.net"
		signature = "c2lnbmF0dXJl%2Bb2YtYWxs%3D"
	)
	for connection, want := range map[string][]string{
		storage: {key, strings.Replace(key, "+", " ", 1)},
		"https://ourstorage.blob.core.windows.net/ours?sv=2026-01-01&se=2027&sig=" + signature: {signature, "c2lnbmF0dXJl+b2YtYWxs="},
		"amqps://reader:hidden-passphrase@queue.example.com:5671/orders":                       {"hidden-passphrase"},
		"https://a-token-of-more-than-thirty-two-characters@host.example.com/a":                {"a-token-of-more-than-thirty-two-characters"},
		"an opaque credential": {"an opaque credential"},
	} {
		if got := slices.Compact(secretsIn(connection)); !slices.Equal(got, want) {
			t.Errorf("the secrets in %s are %q, want %q", connection, got, want)
		}
	}
	for part, isShown := range map[string]bool{"AccountName=ourstorage;AccountKey=" + key[:12]: false, "AccountName=ourstorage": true} {
		inBubble(func(t *testing.T, f *fixture) {
			f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: 400, Message: "no access with " + part})
			credentials := fmt.Sprintf("{ connection_string_wo = %q, connection_string_wo_version = 1 }", storage)
			said := f.pipe(mockplatform.ObjectStoragePipeID, "source_credentials = { object_storage = "+credentials+" }").tryApply().String()
			if strings.Contains(said, part) != isShown {
				t.Errorf("%s is shown: %t, want %t: %s", part, !isShown, isShown, said)
			}
		})(t)
	}
}

// TestMessagesAreClean has a name of a key and responses with control characters, and walks the messages
// that repeat any of it: each is one text, and none has a character that a terminal acts on.
func TestMessagesAreClean(t *testing.T) {
	const bad = "a\n\nError: x\x1b[31m\u202e\a"
	var spoil func(value any, ids bool) any
	spoil = func(value any, ids bool) any {
		switch value := value.(type) {
		case string:
			return bad + value
		case []any:
			for i := range value {
				value[i] = spoil(value[i], ids)
			}
		case object:
			for name, member := range value {
				if ids || !strings.HasSuffix(strings.ToLower(name), "id") || name == "requestId" {
					value[name] = spoil(member, ids)
				}
			}
		}
		return value
	}
	// In which place of a response a message may stand is tested in package rest.
	played(t, map[string]func(status int, body any) (int, any){
		"values": func(status int, body any) (int, any) { return status, spoil(body, false) },
		"ids":    func(status int, body any) (int, any) { return status, spoil(body, true) },
		"services of one name": func(status int, body any) (int, any) {
			for i, service := range listOf(member(body, "result")) {
				service.(object)["id"], service.(object)["name"] = fmt.Sprint(bad, i), "n"
			}
			return status, body
		},
		"a redirect": func(int, any) (int, any) { return 302, nil },
		"a next page": func(int, any) (int, any) {
			return 200, object{"status": 400, "error": bad, "result": []any{}, bad + ".next": bad}
		},
	}, func(t *testing.T, f *fixture, answer func(status int, body any) (int, any)) {
		f.handle = func(w http.ResponseWriter, r *http.Request) {
			recorder, body := httptest.NewRecorder(), any(nil)
			f.ServeHTTP(recorder, r)
			_ = json.Unmarshal(recorder.Body.Bytes(), &body)
			status, changed := answer(recorder.Code, body)
			w.Header().Set("Location", "https://"+url.PathEscape("a\u202e")+".example/"+url.PathEscape(bad))
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(changed)
		}
		var said []string
		hear := func(one diagnoses) { said = slices.Concat(said, one.errors, one.warnings) }
		for kind, arguments := range map[string]string{
			"service": `name = "n"`, "services": "", "alert": fmt.Sprintf("id = %q", mockplatform.AlertID),
			"pipe": fmt.Sprintf("service_id = %q\npipe_id = %q", mockplatform.ServiceID, mockplatform.KafkaPipeID),
		} {
			_, diags := f.dataSource(f.start(), kind, arguments)
			hear(diags)
		}
		key := f.key(lasting + "\nname = " + toJSON(t, bad))
		for _, b := range []*managed{
			f.pipe(mockplatform.KafkaPipeID, `name = "n"`), f.pipe(mockplatform.PostgresPipeID, mappings(wanted("a.b", "c", "excluded_columns = []"))),
			f.scaling(mockplatform.ServiceID, "num_replicas = 5"), key,
		} {
			r := b.tryApply()
			hear(r.diagnoses)
			if len(r.errors) == 0 {
				hear(b.tryPlan(f.start()).diagnoses)
			}
		}
		if !key.state.IsNull() {
			until(95) // its renewal is due
			hear(key.plan().diagnoses)
			hear(key.applyAs(key.arguments + "\nroles = [\"developer\"]").diagnoses)
			planned, applied := key.destroy()
			hear(diagnoses{planned, applied})
		}
		isUnclean := func(r rune) bool { return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) }
		for _, text := range said {
			if strings.ContainsFunc(text, isUnclean) || strings.Contains(text, "\nError") {
				t.Errorf("%q", text)
			}
		}
		if len(said) < 3 {
			t.Errorf("%d messages: the test looks at nothing", len(said))
		}
	})
}
