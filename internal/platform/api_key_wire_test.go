package platform

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// connectionNumber is a key of the context of a request.
type connectionNumber struct{}

// Servers that end each connection after a response leave no key in doubt: each POST has a
// connection of its own, which no other request has used or will use.
func TestKeyHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	const keys = 40
	for name, test := range map[string]struct {
		http2 bool
		end   func(w http.ResponseWriter, r *http.Request, platform http.Handler)
	}{
		"HTTP/2, GOAWAY": {true, func(w http.ResponseWriter, r *http.Request, platform http.Handler) {
			w.Header().Set("Connection", "close") // which Go's server sends as a GOAWAY
			platform.ServeHTTP(w, r)
		}},
		"HTTP/1.1, closed when the next request arrives": {false, func(w http.ResponseWriter, r *http.Request, platform http.Handler) {
			recorded := httptest.NewRecorder()
			platform.ServeHTTP(recorded, r)
			conn, buffered, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			response := recorded.Result()
			response.ContentLength = int64(recorded.Body.Len())
			_ = response.Write(buffered)
			_ = buffered.Flush()
			_, _ = buffered.ReadByte()
			_ = conn.Close()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			platform := resttest.NewServer()
			var opened atomic.Int64
			var used sync.Map // numbers of connections, with whether a key was created on it
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				isKey := r.Method == http.MethodPost
				if before, reused := used.Swap(r.Context().Value(connectionNumber{}), isKey); reused && (isKey || before.(bool)) {
					t.Errorf("%s %s on a connection that was used before", r.Method, r.URL.Path)
				}
				test.end(w, r, platform)
			}))
			server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
				return context.WithValue(ctx, connectionNumber{}, opened.Add(1))
			}
			server.Config.ErrorLog = log.New(io.Discard, "", 0)
			server.EnableHTTP2 = test.http2
			server.StartTLS()
			t.Cleanup(server.Close)
			c := newTestClient(t, server.URL, func(c *Config) { c.RetryTimeout = 20 * time.Second })
			resttest.Trust(c.rest.Transport(), server)
			if err := readPipe(t.Context(), c); err != nil { // which leaves a connection behind
				t.Fatal(err)
			}
			crowd(keys, 10, func(int) {
				if _, err := createKey(t.Context(), c, false); err != nil {
					t.Error(err)
				}
			})
			if n := len(platform.Keys()); n != keys {
				t.Errorf("%d keys, want %d", n, keys)
			}
		})
	}
}
