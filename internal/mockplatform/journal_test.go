package mockplatform_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestJournalRecordsTheLastRequests(t *testing.T) {
	t.Parallel()
	var reported []int
	b := newBench(t, mockplatform.Behaviour{JournalSize: 3, OnRequest: func(r mockplatform.Request) { reported = append(reported, r.Status) }})
	body := "{ \"numReplicas\" : 4.0 }"
	b.send("GET", "/the/first", "")
	b.send("PATCH", scalingPath, body)
	b.send("GET", servicesPath+"?filter=a%3Db&filter=c%3Dd", "")
	b.send("GET", "/nowhere%2Felse", "")

	recorded := []string{}
	for _, r := range b.platform.Requests() {
		recorded = append(recorded, fmt.Sprintf("%s %d %s %s %s", r.Operation, r.Status, r.Path, r.Query["filter"], r.Body))
		equal(t, "credentials", r.Header.Get("Authorization"), "")
	}
	equal(t, "requests", recorded, []string{
		"UpdateScaling 200 " + scalingPath + " [] " + body,
		"ListServices 200 " + servicesPath + " [a=b c=d] ",
		" 404 /nowhere%2Felse [] ",
	})
	equal(t, "reported", reported, []int{404, 200, 200, 404})
	equal(t, "requests of one operation", len(b.platform.RequestsOf(mockplatform.ListServices)), 1)
	equal(t, "counts", []int{b.platform.Count("", ""), b.platform.Count("GET", "/services"), b.platform.Count("", "/nowhere*")}, []int{3, 1, 1})
	b.platform.ResetJournal()
	equal(t, "after a reset", len(b.platform.Requests()), 0)
}

func TestLimiterSaysHowLongToWait(t *testing.T) {
	t.Parallel()
	at := func(seconds float64) time.Time {
		return time.Unix(1000, 0).Add(time.Duration(seconds * float64(time.Second)))
	}
	for name, row := range map[string]struct {
		limit mockplatform.RateLimit
		times []float64 // of requests
		waits []float64 // 0 is admitted
	}{
		"tokens":        {mockplatform.RateLimit{PerSecond: 2, Burst: 2}, []float64{0, 0, 0, 0.25, 0.5, 9, 9, 9}, []float64{0, 0, 0.5, 0.25, 0, 0, 0, 0.5}},
		"window":        {mockplatform.RateLimit{PerSecond: 2, Window: time.Second}, []float64{0.5, 0.6, 0.75, 1, 1.5, 1.75}, []float64{0, 0, 0.25, 0, 0, 0.25}},
		"less than one": {mockplatform.RateLimit{PerSecond: 0.5, Window: time.Second}, []float64{0, 0.5, 1}, []float64{0, 0.5, 0}},
	} {
		limiter := mockplatform.NewLimiter(row.limit)
		for i, seconds := range row.times {
			wait, ok := limiter.Take(at(seconds))
			if want := row.waits[i]; ok != (want == 0) || wait != time.Duration(want*float64(time.Second)) {
				t.Errorf("%s: request %d: got %v and %v, want %v", name, i+1, wait, ok, want)
			}
		}
	}
}
