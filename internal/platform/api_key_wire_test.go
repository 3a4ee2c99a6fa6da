package platform

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

// connectionNumber is a key of the context of a request.
type connectionNumber struct{}

// Each POST of a key has a connection of its own, which no other request has used or will use:
// on one that a server has just closed, it would be open whether a key exists.
func TestKeyHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	const keys = 40
	for _, http2 := range []bool{false, true} {
		platform := resttest.NewServer()
		var opened atomic.Int64
		var used sync.Map // numbers of connections, with whether a key was created on it
		server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			isKey := r.Method == http.MethodPost
			if before, reused := used.Swap(r.Context().Value(connectionNumber{}), isKey); reused && (isKey || before.(bool)) {
				t.Errorf("%s %s on a connection that was used before", r.Method, r.URL.Path)
			}
			if r.Header.Get("Idempotency-Key") != "" {
				t.Error("with this header, net/http repeats a POST")
			}
			if http2 != (r.ProtoMajor == 2) {
				t.Errorf("spoken is %s", r.Proto)
			}
			platform.ServeHTTP(w, r)
		}))
		server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, connectionNumber{}, opened.Add(1))
		}
		server.EnableHTTP2 = http2
		server.StartTLS()
		t.Cleanup(server.Close)
		c := newTestClient(t, server.URL)
		resttest.Trust(c.rest.Transport(), server)
		crowd(keys, 10, func(i int) {
			_, err := createKey(t.Context(), c, false)
			if err = errors.Join(err, readPipe(t.Context(), c)); err != nil {
				t.Error(err)
			}
		})
		if n := len(platform.Keys()); n != keys {
			t.Errorf("%d keys, want %d", n, keys)
		}
	}
}
