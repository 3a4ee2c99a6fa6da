package mockplatform

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
)

// send writes the response, or the part of it that the fault lets through.
func (h *handler) send(out response) {
	if !h.fault.silent() {
		h.server.journal.update(h.entry, func(r *Request) { r.Status = out.status })
	}
	if h.fault.Hang || h.fault.Reset || h.fault.Cut != "" {
		h.sendPart(out)
		return
	}
	for name, values := range out.header {
		h.writer.Header()[name] = values
	}
	h.writer.WriteHeader(out.status)
	_, _ = h.writer.Write(out.body)
}

// sendPart writes to the connection itself, since net/http would always send a
// complete head and a body of the announced length.
func (h *handler) sendPart(out response) {
	connection, _, err := http.NewResponseController(h.writer).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2 has no connection per request: this resets the stream
	}
	defer func() { _ = connection.Close() }()
	_, _ = connection.Write(h.fault.part(out))
	if h.fault.Hang {
		// After Hijack, a read ends with the connection and the request's context does not.
		stop := context.AfterFunc(h.hanging, func() { _ = connection.Close() })
		_, _ = connection.Read(make([]byte, 1))
		stop()
	}
	if tcp, ok := connection.(*net.TCPConn); ok && h.fault.Reset {
		_ = tcp.SetLinger(0) // close with RST instead of FIN
	}
}

// part returns the bytes of a response that the fault lets through.
func (f *Fault) part(out response) []byte {
	if f.silent() {
		return nil
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "HTTP/1.1 %d %s\r\n", out.status, http.StatusText(out.status))
	_ = out.header.Write(&text)
	text.WriteString("\r\n")
	begin, end := 0, text.Len()
	text.Write(out.body)
	switch f.Cut {
	case CutHead:
	case CutBody:
		begin, end = end, text.Len()
	default:
		return text.Bytes()
	}
	at := begin + f.CutBytes
	if f.CutBytes < 0 {
		at = end + f.CutBytes
	}
	return text.Bytes()[:min(max(at, begin), end)]
}
