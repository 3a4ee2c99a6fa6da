package platform

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// A new key's secret in a form that nothing decodes is in no error and no log, wherever the answer has it beside a body: in the
// status line, in headers, in a redirect, in a trailer, in what is no HTTP. TestAnswersToTheCreationOfAKey has it in bodies.
func TestNewSecretIsNowhere(t *testing.T) {
	const secret = "Zq7Wx9Kd3Rt5Yp1M"
	forms := map[string]string{
		"plain": secret, "backwards": "M1pY5tR3dK9xW7qZ", "UTF-16": strings.Join(strings.Split(secret, ""), "\x00") + "\x00",
		"base64 of bytes before": base64.RawURLEncoding.EncodeToString([]byte("x" + secret)),
	}
	const length = "\r\nContent-Length: "
	answers := map[string]string{
		"no HTTP":           "SECRET\r\n\r\n",
		"a status":          "HTTP/1.1 SECRET OK\r\n\r\n",
		"a version":         "HTTP/SECRET 200 OK\r\n\r\n",
		"a reason":          "HTTP/1.1 200 SECRET\r\nX-A: b" + length + "2\r\n\r\n{}",
		"a reason of a 500": "HTTP/1.1 500 SECRET\r\nX-A: b" + length + "2\r\n\r\n{}",
		"a request ID":      "HTTP/1.1 200 OK\r\nX-Request-Id: SECRET" + length + "2\r\n\r\n{}",
		"a content type":    "HTTP/1.1 200 OK\r\nContent-Type: SECRET" + length + "2\r\n\r\n{}",
		"an age":            "HTTP/1.1 200 OK\r\nAge: SECRET" + length + "2\r\n\r\n{}",
		"a redirect":        "HTTP/1.1 302 Found\r\nLocation: https://SECRET.example/SECRET" + length + "0\r\n\r\n",
		"a line":            "HTTP/1.1 200 OK\r\nSECRET\r\n\r\n",
		"a header":          "HTTP/1.1 200 OK\r\nSECRET: x" + length + "2\r\n\r\n{}",
		"a length":          "HTTP/1.1 200 OK" + length + "SECRET\r\n\r\n{}",
		"an encoding":       "HTTP/1.1 200 OK\r\nTransfer-Encoding: SECRET\r\n\r\n{}",
		"a compression":     "HTTP/1.1 200 OK\r\nContent-Encoding: gzip" + length + "99\r\n\r\nSECRET",
		"a chunk":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nSECRET\r\n",
		"a trailer":         "HTTP/1.1 200 OK\r\nTrailer: X-A\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX-A: SECRET\r\n\r\n",
		"a broken trailer":  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nSECRET\r\n\r\n",
		"more than the key": "HTTP/1.1 200 OK" + length + "2\r\n\r\n{}HTTP/1.1 200 SECRET\r\n\r\n",
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var output bytes.Buffer
	log.SetOutput(&output) // to which net/http writes what comes unasked; the provider discards it
	defer log.SetOutput(os.Stderr)
	var answer atomic.Value
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			request, err := http.ReadRequest(bufio.NewReader(connection))
			if err == nil {
				_, _ = request.Body.Read(make([]byte, 1000))
				_, _ = connection.Write([]byte(answer.Load().(string)))
			}
			_ = connection.Close()
		}
	}()
	base := url.URL{Scheme: "http", Host: listener.Addr().String()}
	config := Config{BaseURL: base.String(), KeyID: "i", KeySecret: "s", Sending: Sending{RequestTimeout: time.Minute}}
	config.Log = func(_ context.Context, msg string, fields ...map[string]any) { fmt.Fprintln(&output, msg, fields) }
	n := 0
	for place, text := range answers {
		for form, spelled := range forms {
			answer.Store(strings.ReplaceAll(text, "SECRET", spelled))
			c, err := New(config)
			if err != nil {
				t.Fatal(err)
			}
			output.Reset()
			key, err := createKey(t.Context(), c, false)
			if err != nil && !AsError(err).Ambiguous {
				t.Errorf("%s, %s: %v", place, form, err)
			}
			if err != nil {
				fmt.Fprintln(&output, err, AsError(err).Detail())
			}
			if key != nil {
				fmt.Fprintln(&output, key.Doubt, key.RequestID)
			}
			n++
			said := words.Bare(output.String())
			if bare := words.Bare(spelled); strings.Contains(said, bare[:8]) || strings.Contains(strings.ToLower(said), strings.ToLower(bare[4:12])) {
				t.Errorf("%s, %s: %s", place, form, output.String())
			}
		}
	}
	t.Logf("%d answers", n)
}
