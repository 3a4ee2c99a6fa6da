package mockplatform_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestJournalRecordsRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	body := "{ \"numReplicas\" : 4.0 }"
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
	equal(t, "requests of one operation", len(b.platform.RequestsOf(mockplatform.ListServices)), 1)
	equal(t, "counts", []int{b.platform.Count("", ""), b.platform.Count("GET", "/services"), b.platform.Count("", "/nowhere*")}, []int{3, 1, 1})
	b.platform.ResetJournal()
	equal(t, "after a reset", len(b.platform.Requests()), 0)
}

func TestJournalKeepsTheLast(t *testing.T) {
	t.Parallel()
	var seen []string
	inBubble(t, mockplatform.Behaviour{JournalSize: 2, OnRequest: func(r mockplatform.Request) {
		seen = append(seen, fmt.Sprint(r.Path, " ", r.Status))
	}}, func(b *bench) {
		for i := range 3 {
			b.send("GET", fmt.Sprint("/", i), "")
		}
		synctest.Wait()
		kept := []string{}
		for _, r := range b.platform.Requests() {
			kept = append(kept, r.Path)
		}
		equal(b.T, "the last two", kept, []string{"/1", "/2"})
		equal(b.T, "reported", seen, []string{"/0 404", "/1 404", "/2 404"})
	})
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

func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	inBubble(t, mockplatform.Behaviour{Latency: time.Millisecond}, func(b *bench) {
		ids := b.platform.AddServices(mockplatform.OrganizationID, 40)
		pipes := b.platform.AddPipes(ids[0], 40)
		var group sync.WaitGroup
		for i := range 40 {
			group.Go(func() {
				b.must("PATCH", servicesPath+"/"+ids[i]+"/scaling", fmt.Sprintf(`{"numReplicas":%d}`, 2+i%19))
				equal(b.T, "list after the change", at(b.send("GET", servicesPath, "").body, fmt.Sprintf("result.%d.numReplicas", 3+i)), 2+i%19)
				b.must("POST", keysPath, keyBody)
				b.must("PATCH", servicesPath+"/"+ids[0]+"/pipes/"+pipes[i], `{"name":"n"}`)
				b.platform.UpdateService(ids[i], func(doc mockplatform.Document) { doc["name"] = "renamed" })
				b.platform.Inject(mockplatform.Fault{Path: "/none"})
			})
		}
		group.Wait()
		equal(b.T, "keys", len(b.platform.Keys()), 40)
		equal(b.T, "requests", len(b.platform.Requests()), 160)
		equal(b.T, "concurrent requests", b.platform.PeakInFlight(), 40)
	})
}
