package words

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// The message of an error is found in any usual place, in any letter case.
func TestMessagesOfJSON(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"errors":[{"field":"a","message":"too small"},{"reason":"too late"},"no"]}`:           "too small; too late; no",
		`{"error":"too small","message":"too small or too large"}`:                              "too small or too large",
		`{"code":"QUOTA_EXCEEDED","msg":"Quota of the day"}`:                                    "Quota of the day; QUOTA_EXCEEDED",
		`{"Message":"no","errorCode":"E7","errorSummary":"never"}`:                              "no; never",
		`["0","1","2","3","4","5","6","7","8","9","a","b","c","d","e","f","g","h","i","j","k"]`: "0; 1; 2; 3; 4; 5; 6; 7; 8; 9; a; b; c; d; e; f; g; h; i; j",
	} {
		var value any
		if err := json.Unmarshal([]byte(body), &value); err != nil || strings.Join(OfJSON(value, 4096), "; ") != want {
			t.Errorf("%s: %q, want %q, %v", body, OfJSON(value, 4096), want, err)
		}
	}
}

// A body that is made to take long takes no longer than others. It took minutes.
func TestHostileBodyIsReadInTime(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"many messages":   `[` + strings.Repeat(`"message `+strings.Repeat("x", 100)+`",`, 80_000) + `"y"]`,
		"a long message":  `{"message":["` + strings.Repeat("x", 4<<20) + `","` + strings.Repeat("x", 4<<20) + `"]}`,
		"a deep message":  strings.Repeat(`{"error":`, 9000) + `"x"` + strings.Repeat(`}`, 9000),
		"an open comment": strings.Repeat("<!--", 16<<10),
	} {
		watch := time.AfterFunc(30*time.Second, func() { panic(name) })
		var value any
		_ = json.Unmarshal([]byte(body), &value)
		_, _ = OfJSON(value, 4096), OfPage(body[:min(len(body), 64<<10)])
		_ = Readings(body[:4096])
		watch.Stop()
	}
}
