package platform

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/resttest"
)

const ownError = `{"status":404,"requestId":"r","error":"what a pity"}`

// row is one line of the fault matrix: what happens to the first request or,
// with always, to all of them, and for each kind of operation how many
// requests of its method there are and how the call ends: the read of a pipe, the other
// reads, the update of a service, that of a pipe, one with a question, and the creation of
// a key.
type row struct {
	fault   fault
	refused int
	always  bool

	read, others, service, pipe, asked, key string
}

// faults is the matrix. Rows that read "1 failed" throughout are faults that
// asking again would not mend. The policy is a table in package rest: here is one row for
// each thing that a response may be.
var faults = map[string]row{
	"none":                      {good, 0, false, "1 ok", "1 ok", "1 ok", "1 ok", "1 ok", "1 ok"},
	"connection refused":        {good, 2, false, "1 ok", "1 ok", "1 ok", "1 ok", "1 ok", "1 ok"},
	"connection refused always": {good, -1, false, "0 gave up", "0 gave up", "0 gave up", "0 gave up", "0 gave up", "0 gave up"},
	"connection reset":          {reset, 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"reset throughout":          {reset, 0, true, "many gave up", "many gave up", "many gave up, ambiguous", "many gave up, ambiguous", "1 gave up, ambiguous", "1 ambiguous"},
	"body cut":                  {cut, 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"stalls in the body":        {fault{Hang: true, Cut: mockplatform.CutBody, CutBytes: 30}, 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"no response throughout":    {hang, 0, true, "many gave up", "many gave up", "many gave up, ambiguous", "many gave up, ambiguous", "1 gave up, ambiguous", "1 ambiguous"},
	"no response in time":       {hang, 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"response after 10 s":       {slow(10*time.Second, good), 0, false, "1 ok", "1 ok", "1 ok", "1 ok", "1 ok", "1 ok"},
	"429":                       {respond(429, ""), 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "2 ok"},
	"500":                       {respond(500, ""), 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"408":                       {respond(408, ""), 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"425":                       {respond(425, ""), 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"502":                       {respond(502, resttest.Page), 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"503":                       {respond(503, `{"error":"x"}`), 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"504":                       {respond(504, ""), 0, false, "2 ok", "2 ok", "2 ok", "2 ok", "2 ok", "1 ambiguous"},
	"503 throughout":            {respond(503, ""), 0, true, "many gave up", "many gave up", "many gave up, ambiguous", "many gave up, ambiguous", "1 gave up, ambiguous", "1 ambiguous"},
	"501":                       {respond(501, ""), 0, false, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "1 ambiguous", "1 ambiguous"},
	"400":                       {respond(400, `{"error":"x"}`), 0, false, "1 failed", "1 failed", "1 failed", "1 failed", "1 failed", "1 failed"},
	"404 of the API":            {respond(404, ownError), 0, false, "1 not found", "1 failed", "1 not found", "1 not found", "1 not found", "1 failed"},
	"404 page":                  {respond(404, resttest.Page, "Content-Type: text/html"), 0, false, "1 failed", "1 failed", "1 failed", "1 failed", "1 failed", "1 failed"},
	"302":                       {respond(302, "", "Location: http://127.0.0.1/prefix/else"), 0, false, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "1 ambiguous", "1 ambiguous"},
	"200 page":                  {respond(200, resttest.Page), 0, false, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "2 ok", "1 ambiguous"},
	"200 empty":                 {respond(200, ""), 0, false, "1 failed", "1 failed", "1 ok", "1 ok", "1 ok", "1 ambiguous"},
	"200 without result":        {respond(200, `{"status":200}`), 0, false, "1 failed", "1 failed", "1 ok", "1 ok", "1 ok", "1 ambiguous"},
	"200 and a message":         {respond(200, `{"message":"done"}`), 0, false, "1 failed", "1 failed", "1 ok", "1 ok", "1 ok", "1 ambiguous"},
	"200 and an error":          {respond(200, `{"error":"no"}`), 0, false, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "2 ok", "1 ambiguous"},
	"200 of status 500":         {respond(200, `{"status":500}`), 0, false, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "2 ok", "1 ambiguous"},
	"200 about another":         {respond(200, `{"result":{"id":"x"},"data":{"id":"x"}}`), 0, false, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "2 ok", "1 ok"},
	"200 and more":              {respond(200, `{"result":[],"data":{}} x`), 0, false, "1 failed", "1 failed", "1 ambiguous", "1 ambiguous", "2 ok", "1 ambiguous"},
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for name, r := range faults {
		columns := []struct{ want, operations string }{
			{r.read, "pipe"}, {r.others, "service list alert"}, {r.service, "scaling"}, {r.pipe, "update"},
			{r.asked, "asked"}, {r.key, "key"},
		}
		for _, column := range columns {
			for o := range strings.FieldsSeq(column.operations) {
				t.Run(name+"/"+o, func(t *testing.T) { t.Parallel(); r.run(t, operations[o], column.want) })
			}
		}
	}
}

func (r row) run(t *testing.T, o operation, want string) {
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		contact(t, f, c)
		f.Refuse(r.refused)
		if r.always {
			f.Always(r.fault)
		} else {
			f.InjectEach(r.fault)
		}
		begun := time.Now()
		_, err := o.call(context.Background(), c)
		n := fmt.Sprint(f.Sent(o.method))
		if f.Sent(o.method) > 5 {
			n = "many"
		}
		if got := n + " " + outcome(err); got != want {
			t.Errorf("%s, want %s (%v)", got, want, err)
		}
		if took := time.Since(begun); took > resttest.RetryTimeout {
			t.Errorf("took %s, more than the budget", took)
		}
	})
}

// TestRetriedStatusesHaveAllTheirPlaces checks the places that a status needs which is
// retried, and names the file of one that was forgotten.
func TestRetriedStatusesHaveAllTheirPlaces(t *testing.T) {
	t.Parallel()
	limits, troubleshooting := guide(t, "limits"), guide(t, "troubleshooting")
	documented := map[string]bool{}
	for line := range strings.Lines(limits) {
		if what, outcome, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | "); strings.HasPrefix(outcome, "retried") {
			for _, status := range regexp.MustCompile(`\b[45]\d\d\b`).FindAllString(what, -1) {
				documented[status] = true
			}
		}
	}
	for status := 400; status < 600; status++ {
		name := fmt.Sprint(status)
		retried := false
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(respond(status, ""))
			err := readPipe(t.Context(), c)
			if retried = f.Sent("GET") > 1; retried && err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if again := readPipe(t.Context(), c); status != http.StatusUnauthorized && again != nil {
				t.Errorf("after a %s: %v", name, again)
			}
		})
		if retried != documented[name] {
			t.Errorf("%s is retried: %t, but the table in templates/guides/limits.md has it as retried: %t", name, retried, documented[name])
		}
		if _, has := faults[name]; retried && !has {
			t.Errorf("%s has no row in faults, in internal/platform/faults_test.go", name)
		}
		if retried && !regexp.MustCompile("`(HTTP )?"+name+"\\b").MatchString(troubleshooting) {
			t.Errorf("%s is retried, and templates/guides/troubleshooting.md does not name it", name)
		}
	}
}

func guide(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile("../../templates/guides/" + name + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
