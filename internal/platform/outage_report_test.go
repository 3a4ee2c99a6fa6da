package platform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// In an outage one error has the details, under a summary of its own, and the others say
// in one line to look for that.
func TestOneErrorHasTheDetailsOfAnOutage(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault   string
		refused int
		summary string
		begins  string
	}{
		"refused":    {"", -1, "The management API is not responding", "The management API at http://127.0.0.1 has not responded to any request since "},
		"black hole": {"hang", 0, "The management API is not responding", "The management API at http://127.0.0.1 has not responded to any request since "},
		"5xx":        {"503", 0, "The management API is failing", "The management API at http://127.0.0.1 has returned only server errors (HTTP 5xx) since "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.refused = test.refused
				f.fault = func(string) string { return test.fault }
				f.havePipes()
				summaries := 0
				for i, err := range flood(t.Context(), c, 100, 10) {
					var e *Error
					switch {
					case !errors.As(err, &e):
						t.Fatal(i, err)
					case e.Summary() != "":
						summaries++
						if e.Summary() != test.summary || !strings.HasPrefix(e.Detail(), test.begins) || !strings.Contains(e.Detail(), "Tried to read pipe ") || !strings.Contains(e.Detail(), "\n\nGave up after ") {
							t.Errorf("%s: %s", e.Summary(), e.Detail())
						}
					case !strings.HasSuffix(e.Detail(), `. The error "`+test.summary+`" has the details.`) || strings.Contains(e.Detail(), "\n"):
						t.Errorf("%d: %s", i, e.Detail())
					}
				}
				if summaries != 1 {
					t.Errorf("%d errors with the details", summaries)
				}
			}, func(c *Config) { c.RetryTimeout, c.RequestTimeout = 8*time.Second, 2*time.Second })
		})
	}
}

// What nothing could be connected to in a run is given up after thirty seconds, however
// long retry_timeout is, and the error says where it was. Once there was a connection,
// retry_timeout counts.
func TestNeverConnectedGivesUpEarly(t *testing.T) {
	t.Parallel()
	for name, o := range operations() {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.refused = -1
			begun := time.Now()
			_, err := o.call(t.Context(), c)
			took := time.Since(begun)
			if e := new(Error); !errors.As(err, &e) || took > 30*time.Second || took < 5*time.Second || IsAmbiguous(err) ||
				!strings.Contains(e.Detail(), " at http://127.0.0.1. The API could not be reached: ") || !strings.Contains(e.Detail(), "base_url, and HTTPS_PROXY") {
				t.Errorf("%s: after %s: %v", name, took, err)
			}
		})
	}
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		if err := readPipe(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		c.rest.Transport().CloseIdleConnections()
		f.refused = -1
		begun := time.Now()
		if err := readPipe(t.Context(), c); err == nil || time.Since(begun) < 4*time.Minute {
			t.Error(time.Since(begun), err)
		}
	})
}

// Every error of a request and every line of an attempt names the host, and nothing else
// of the base URL.
func TestHostIsNamed(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var lines []string
	for name, o := range operations() {
		for _, fault := range []fault{respond(400, ""), respond(404, ""), respond(401, ""), respond(200, page), reset, hang, respond(429, "", "Retry-After: 400")} {
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.always(fault)
				for range 2 { // in full, and in short
					_, err := o.call(t.Context(), c)
					var e *Error
					if !errors.As(err, &e) || !strings.Contains(e.Detail(), "http://127.0.0.1") || strings.Contains(e.Detail(), "prefix") {
						t.Errorf("%s: %v", name, err)
					}
				}
			}, func(c *Config) {
				c.RetryTimeout = 40 * time.Second
				c.Log = func(_ context.Context, _ string, fields ...map[string]any) {
					mu.Lock()
					defer mu.Unlock()
					lines = append(lines, fmt.Sprint(fields))
				}
			})
		}
	}
	for _, line := range lines {
		if !strings.Contains(line, "host:http://127.0.0.1 ") || strings.Contains(line, "prefix") {
			t.Error(line)
		}
	}
}
