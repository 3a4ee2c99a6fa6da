package platform

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// drip is a handler whose response never ends: it sends a piece of the body at
// each interval.
func drip(begin, piece string, every time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(begin))
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(every):
			case <-r.Context().Done():
				return
			}
			if _, err := w.Write([]byte(piece)); err != nil {
				return
			}
		}
	})
}

// A response that arrives slowly and without end costs the time of one attempt.
func TestEndlessSlowResponseIsNotRetried(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ begin, piece string }{
		"in a string":     {`{"status":200,"result":{"id":"`, "x"},
		"in a list":       {`{"status":200,"result":[{"id":"` + testService + `"}`, `,{"id":"x"}`},
		"before its JSON": {"", " "},
		"after its JSON":  {`{"status":200,"result":{}}`, " "},
	}
	for name, test := range tests {
		for _, o := range []string{"list", "pipe", "update", "reconcile", "key"} {
			t.Run(name+"/"+o, func(t *testing.T) {
				t.Parallel()
				bubble(t, func(t *testing.T, f *fake, c *Client) {
					requests := 0
					endless := drip(test.begin, test.piece, time.Second)
					f.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						requests++
						endless.ServeHTTP(w, r)
					})
					begun := time.Now()
					_, err := operations()[o].call(t.Context(), c)
					if took := time.Since(begun); err == nil || requests != 1 || took > testRequestTimeout {
						t.Errorf("%d requests in %s: %v", requests, took, err)
					}
					if !strings.Contains(err.Error(), "still arriving when request_timeout (30s) ended") {
						t.Error(err)
					}
				})
			})
		}
	}
}

func TestResponseAboutAnotherObject(t *testing.T) {
	t.Parallel()
	const other = "50000000-0000-4000-8000-00000000000a"
	requested := map[string]string{"pipe": testPipe, "update": testPipe, "scaling": testService, "alert": testAlert}
	for o, id := range requested {
		same := strings.ToUpper(id)
		if o == "alert" { // no UUID
			same = id
		}
		for returned, want := range map[string]string{
			`"id":"` + other + `"`: "failed",
			`"id":"` + same + `"`:  "ok",
			`"id":null`:            "ok",
			`"name":"x"`:           "ok",
		} {
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.always(respond(200, fmt.Sprintf(`{"status":200,"result":{%[1]s},"data":{%[1]s}}`, returned)))
				_, err := operations()[o].call(t.Context(), c)
				if want == "ok" && err == nil {
					return
				}
				var e *Error
				if want == "ok" || !errors.As(err, &e) || IsAmbiguous(err) != (operations()[o].method != "GET") || len(f.Requests()) != 1 ||
					!strings.Contains(err.Error(), "it is about another object: the request was for ID "+id+", and the response has ID "+other) {
					t.Errorf("%s, %s: %v", o, returned, err)
				}
			})
		}
	}
}
