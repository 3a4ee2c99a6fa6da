package mockplatform

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"
)

// How a fault meets its request. Everything that touches the connection is in
// this file.

// wait pauses, and tells whether the client is still there.
func (x *exchange) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.request.Context().Done():
		return false
	}
}

// strike is what happens before an answer begins; it tells whether there is to
// be one.
func (x *exchange) strike() bool {
	if !x.wait(x.fault.Delay) {
		return false
	}
	if x.fault.Cut != CutNowhere {
		return true
	}
	if x.fault.Hang {
		x.hang()
		return false
	}
	if x.fault.Reset {
		x.reset()
		return false
	}
	return true
}

func (x *exchange) hang() {
	select {
	case <-x.request.Context().Done():
	case <-x.released:
	}
	x.abort()
}

// abort ends the connection (or the HTTP/2 stream) without an answer.
func (x *exchange) abort() { panic(http.ErrAbortHandler) }

// reset ends the connection with an RST rather than in good order.
func (x *exchange) reset() {
	connection, _, err := http.NewResponseController(x.writer).Hijack()
	if err != nil {
		x.abort() // HTTP/2 has no connection to take over, and resets the stream
	}
	closeConnection(connection, true)
}

func closeConnection(connection net.Conn, reset bool) {
	if reset {
		// The raw connection, as TLS would say good-bye first.
		if secured, ok := connection.(*tls.Conn); ok {
			connection = secured.NetConn()
		}
		if tcp, ok := connection.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	}
	_ = connection.Close()
}

func (x *exchange) faultAnswer() answer {
	message := x.fault.Message
	if message == "" {
		message = "injected fault"
	}
	contentType, body := x.errorBody(x.fault.Body, x.fault.Status, message)
	if x.fault.Text != "" {
		body = []byte(x.fault.Text)
	}
	out := newAnswer(x.fault.Status, contentType, body)
	x.fault.addHeaders(out.header)
	return out
}

func (f *Fault) addHeaders(header http.Header) {
	if f.Location != "" {
		header.Set("Location", f.Location)
	}
	if f.RetryAfter > 0 {
		f.RetryAfterForm.set(header, f.RetryAfter)
	}
	for name, values := range f.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
}

func (f *Fault) editBody(body Document, name string) {
	switch f.Result {
	case "":
	case ResultMissing:
		delete(body, name)
	default:
		value, err := decode([]byte(f.Result))
		if err != nil {
			panic(fmt.Sprintf("mockplatform: Fault.Result is not JSON: %v", err))
		}
		body[name] = value
	}
	if f.Edit != nil {
		f.Edit(body)
	}
}

// send writes the answer, whole or not.
func (x *exchange) send(out answer) {
	x.server.journal.update(x.entry, func(r *Request) { r.Status = out.status })
	switch {
	case x.fault.Cut == CutHead:
		x.sendHeadInPart(out)
		return
	case x.fault.Cut == CutBody:
		x.sendBodyInPart(out)
		return
	case x.fault.Endless:
		x.sendEndless(out)
		return
	}
	x.writeHead(out)
	for _, piece := range out.body {
		if _, err := x.writer.Write(piece); err != nil {
			return
		}
		if x.fault.Chunked {
			x.flush()
		}
	}
}

func (x *exchange) writeHead(out answer) {
	header := x.writer.Header()
	for name, values := range out.header {
		header[name] = values
	}
	if !x.fault.Chunked && !x.fault.Endless && header.Get("Content-Length") == "" && out.status != http.StatusNoContent {
		header.Set("Content-Length", strconv.Itoa(out.size()))
	}
	x.writer.WriteHeader(out.status)
	if x.fault.Chunked {
		x.flush()
	}
}

func (x *exchange) flush() { _ = http.NewResponseController(x.writer).Flush() }

func (out answer) size() int {
	size := 0
	for _, piece := range out.body {
		size += len(piece)
	}
	return size
}

// cutAt is a place in so many bytes; negative places count from the end.
func (f *Fault) cutAt(size int) int {
	at := f.CutBytes
	if at < 0 {
		at += size
	}
	return min(max(at, 0), size)
}

func (x *exchange) sendBodyInPart(out answer) {
	body := bytes.Join(out.body, nil)
	x.writeHead(out)
	_, _ = x.writer.Write(body[:x.fault.cutAt(len(body))])
	x.flush()
	x.endEarly()
}

// endEarly ends an answer that has begun.
func (x *exchange) endEarly() {
	if x.fault.Hang {
		x.hang()
	}
	if x.fault.Reset {
		x.reset()
		return
	}
	x.abort()
}

// sendHeadInPart writes to the connection itself: the server would only ever
// send a whole head.
func (x *exchange) sendHeadInPart(out answer) {
	connection, _, err := http.NewResponseController(x.writer).Hijack()
	if err != nil {
		x.abort()
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", out.status, http.StatusText(out.status))
	out.header.Set("Content-Length", strconv.Itoa(out.size()))
	_ = out.header.Write(&head)
	head.WriteString("\r\n")
	_, _ = connection.Write(head.Bytes()[:x.fault.cutAt(head.Len())])
	if x.fault.Hang {
		x.waitForPeer(connection)
	}
	closeConnection(connection, x.fault.Reset)
}

// waitForPeer stands in for the request's context, which knows nothing of a
// connection that was taken over.
func (x *exchange) waitForPeer(connection net.Conn) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = connection.Read(make([]byte, 1))
	}()
	select {
	case <-gone:
	case <-x.released:
	}
}

// sendEndless begins like the true answer and goes on until the client leaves.
func (x *exchange) sendEndless(out answer) {
	body := bytes.Join(out.body, nil)
	x.writeHead(out)
	_, err := x.writer.Write(bytes.TrimSuffix(body, []byte("}")))
	if err == nil {
		_, err = x.writer.Write([]byte(`,"more":"`))
	}
	filler := bytes.Repeat([]byte("x"), 32<<10)
	for err == nil && x.request.Context().Err() == nil {
		_, err = x.writer.Write(filler)
	}
	x.abort()
}
