package provider

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// The secrets of these tests, as a platform gets them.
const (
	echoedPassword  = `it's-a-Postgres\pass"word`
	echoedKey       = "bm90LWEtcmVhbC1rZXktb2YtYW4tYWNjb3VudA/+YnV0LWxvbmc="
	echoedString    = "DefaultEndpointsProtocol=https;AccountName=ourstorage;AccountKey=" + echoedKey + ";EndpointSuffix=core.windows.net"
	echoedSignature = "c2lnbmF0dXJl%2Bb2YtYWxs%3D"
	echoedURL       = "https://ourstorage.blob.core.windows.net/ours?sv=2026-01-01&se=2027&sig=" + echoedSignature
)

// TestPlatformRepeatsPartsOfSecrets has the ways in which a platform may repeat what it was sent: the
// message is withheld if it has a part of a secret, and shown if it has anything else.
func TestPlatformRepeatsPartsOfSecrets(t *testing.T) {
	quoted := func(quote string) string { return strings.ReplaceAll(echoedPassword, "'", quote) }
	shownConnection := strings.Split(echoedString, ";AccountKey")[0]
	for message, withheld := range map[string]bool{
		"invalid AccountKey " + echoedKey:                                            true,
		"got " + strings.ReplaceAll(echoedString, ";", "\n"):                         true,
		"got EndpointSuffix=core.windows.net;AccountKey=" + echoedKey:                true,
		"got " + echoedString[:len(echoedString)-5]:                                  true,
		"got " + echoedKey[:12] + "…":                                                true,
		"Basic " + base64.StdEncoding.EncodeToString([]byte("u:"+echoedPassword)):    true,
		"Basic " + base64.URLEncoding.EncodeToString([]byte("user:"+echoedPassword)): true,
		hex.EncodeToString([]byte(echoedPassword)):                                   true,
		"ALTER ROLE u PASSWORD '" + quoted("''") + "'":                               true,
		"password='" + quoted(`\'`) + "'":                                            true,
		"psql '" + quoted(`'\''`) + "'":                                              true,
		"postgres://u:" + url.QueryEscape(echoedPassword) + "@h":                     true,
		"no blob at ourstorage.blob.core.windows.net/ours for sig=c2lnbmF0dXJl":      true,
		"cannot connect to postgres with this password":                              false,
		"got " + shownConnection + " for core.windows.net":                           false,
		"no blob at https://ourstorage.blob.core.windows.net/ours, se=2027":          false,
	} {
		t.Run("", inBubble(func(t *testing.T, f *fixture) {
			body, _ := json.Marshal(map[string]string{"requestId": "r", "error": message})
			f.Inject(mockplatform.Fault{Method: "PATCH", Status: 400, Text: string(body), Times: mockplatform.Always})
			isWithheld := false
			for _, sent := range []struct{ id, kind, attribute, whole, secret string }{
				{mockplatform.PostgresPipeID, "postgres", "password_wo", echoedPassword, echoedPassword},
				{mockplatform.ObjectStoragePipeID, "object_storage", "connection_string_wo", echoedString, echoedKey},
				{mockplatform.ObjectStoragePipeID, "object_storage", "connection_string_wo", echoedURL, echoedSignature},
			} {
				said := f.pipe(sent.id, fmt.Sprintf("source_credentials = { %s = { %s = %q, %[2]s_version = 1 } }", sent.kind, sent.attribute, sent.whole)).tryApply().String()
				isWithheld = isWithheld || strings.Contains(said, "the message is withheld because it contains a secret")
				if !withheld {
					wantText(t, said, strings.Join(strings.Fields(message), " "))
				}
				for at := range len(sent.secret) - 11 {
					if strings.Contains(said, sent.secret[at:at+12]) {
						t.Fatalf("%s, after %s: %s", message, sent.attribute, said)
					}
				}
			}
			if isWithheld != withheld {
				t.Errorf("%s: withheld %t", message, isWithheld)
			}
		}))
	}
}

// TestMessagesAreClean has responses with control characters in every text, and walks the messages
// that repeat any of it: none has a character that a terminal acts on.
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
		case map[string]any:
			for name, member := range value {
				if ids || !strings.HasSuffix(strings.ToLower(name), "id") || name == "requestId" {
					value[name] = spoil(member, ids)
				}
			}
		}
		return value
	}
	for name, spoilt := range map[string]func(w http.ResponseWriter, r *http.Request, status int, body any) (int, any){
		"values": func(_ http.ResponseWriter, _ *http.Request, status int, body any) (int, any) {
			return status, spoil(body, false)
		},
		"ids": func(_ http.ResponseWriter, _ *http.Request, status int, body any) (int, any) {
			return status, spoil(body, true)
		},
		"400": func(http.ResponseWriter, *http.Request, int, any) (int, any) {
			return 400, map[string]any{"requestId": bad, "errors": []any{bad, bad + "y"}}
		},
		"404": func(http.ResponseWriter, *http.Request, int, any) (int, any) {
			return 404, map[string]any{"requestId": bad, "message": bad}
		},
		"page": func(http.ResponseWriter, *http.Request, int, any) (int, any) {
			return 403, "<title>" + bad + "</title>"
		},
		"text": func(http.ResponseWriter, *http.Request, int, any) (int, any) { return 409, bad },
		"error": func(http.ResponseWriter, *http.Request, int, any) (int, any) {
			return 200, map[string]any{"status": 400, "error": bad}
		},
		"not one": func(http.ResponseWriter, *http.Request, int, any) (int, any) {
			return 200, map[string]any{"result": []any{}, bad + ".next": bad}
		},
		"elsewhere": func(w http.ResponseWriter, _ *http.Request, _ int, _ any) (int, any) {
			w.Header().Set("Location", "https://"+url.PathEscape("a\u202e")+".example/"+url.PathEscape(bad))
			return 302, nil
		},
		"other writes": func(_ http.ResponseWriter, r *http.Request, status int, body any) (int, any) {
			if r.Method == http.MethodGet {
				return status, body
			}
			return status, spoil(body, false)
		},
		"same names": func(_ http.ResponseWriter, r *http.Request, status int, body any) (int, any) {
			if all, isList := body.(map[string]any)["result"].([]any); isList {
				for i := range all {
					all[i] = map[string]any{"id": fmt.Sprint(bad, i), "name": "n"}
				}
			}
			return status, body
		},
	} {
		t.Run(name, inBubble(func(t *testing.T, f *fixture) {
			f.Server = mockplatform.New(mockplatform.DefaultSeed())
			actual := f.Server
			spoiling := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				recorder, body := httptest.NewRecorder(), any(nil)
				actual.ServeHTTP(recorder, r)
				_ = json.Unmarshal(recorder.Body.Bytes(), &body)
				status, changed := spoilt(w, r, recorder.Code, body)
				w.WriteHeader(status)
				if text, isText := changed.(string); isText {
					_, _ = w.Write([]byte(text))
					return
				}
				_ = json.NewEncoder(w).Encode(changed)
			})
			f.network = new(mockplatform.Memory)
			f.serve(spoiling)
			var said []diagnoses
			for _, arguments := range []string{fmt.Sprintf("id = %q", mockplatform.ServiceID), `name = "n"`} {
				_, diags := f.dataSource(f.start(), "service", arguments)
				said = append(said, diags)
			}
			_, services := f.dataSource(f.start(), "services", "")
			_, pipe := f.dataSource(f.start(), "pipe", fmt.Sprintf("service_id = %q\npipe_id = %q", mockplatform.ServiceID, mockplatform.KafkaPipeID))
			_, alert := f.dataSource(f.start(), "alert", fmt.Sprintf("id = %q", mockplatform.AlertID))
			said = append(said, services, pipe, alert)
			for _, b := range []*managed{
				f.pipe(mockplatform.KafkaPipeID, `name = "n"`),
				f.pipe(mockplatform.PostgresPipeID, `source = { postgres = { table_mappings = [{ source_schema_name = "a", source_table = "b", target_table = "c", excluded_columns = [] }] } }`),
				f.scaling(mockplatform.ServiceID, "num_replicas = 5"), f.key(""),
			} {
				r := b.tryApply()
				said = append(said, r.diagnoses)
				if r.action != "error" {
					said = append(said, b.tryPlan(f.start()).diagnoses)
				}
			}
			count := 0
			for _, one := range said {
				for _, text := range append(one.errors, one.warnings...) {
					count++
					if strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) || strings.Contains(text, "\nError") {
						t.Errorf("%q", text)
					}
				}
			}
			if count < 3 {
				t.Errorf("%d messages: the test looks at nothing", count)
			}
		}))
	}
}
