package mockplatform_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func TestJournal(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	body := "{ \"numReplicas\" : 4.0 }"
	request := b.request("PATCH", scalingPath, body)
	request.Header.Set("User-Agent", "me/1")
	if _, err := b.do(request); err != nil {
		t.Fatal(err)
	}
	b.send("GET", servicesPath+"?filter=a%3Db&filter=c%3Dd", "")
	b.send("GET", "/nowhere%2Felse", "")

	requests, recorded := b.platform.Requests(), []string{}
	for _, r := range requests {
		recorded = append(recorded, fmt.Sprintf("%s %d %s %s", r.Operation, r.Status, r.Path, r.Body))
	}
	equal(t, "requests", recorded, []string{
		"UpdateScaling 200 " + scalingPath + " " + body,
		"ListServices 200 " + servicesPath + " ",
		" 404 /nowhere%2Felse ",
	})
	equal(t, "query", requests[1].Query["filter"], []string{"a=b", "c=d"})
	equal(t, "headers", []string{requests[0].Header.Get("User-Agent"), requests[0].Header.Get("Authorization")}, []string{"me/1", ""})
	equal(t, "requests of one operation", len(b.platform.RequestsOf(mockplatform.ListServices)), 1)
	equal(t, "counts", []int{b.platform.Count("", ""), b.platform.Count("GET", "/services"), b.platform.Count("", "/nowhere*")}, []int{3, 1, 1})
	b.platform.ResetJournal()
	equal(t, "after a reset", len(b.platform.Requests()), 0)
}

func TestJournalSize(t *testing.T) {
	t.Parallel()
	var seen []string
	b := behaving(t, mockplatform.Behaviour{JournalSize: 2, OnRequest: func(r mockplatform.Request) {
		seen = append(seen, fmt.Sprint(r.Path, r.Status))
	}})
	for i := range 5 {
		b.send("GET", fmt.Sprint("/", i), "")
	}
	b.server.Close()
	requests := b.platform.Requests()
	equal(t, "the last two", []string{requests[0].Path, requests[1].Path}, []string{"/3", "/4"})
	equal(t, "reported", seen, []string{"/0404", "/1404", "/2404", "/3404", "/4404"})
}

func TestLimiter(t *testing.T) {
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

func TestRetryAfterForms(t *testing.T) {
	t.Parallel()
	for form, want := range map[mockplatform.RetryAfterForm][2]string{
		mockplatform.RetryAfterSeconds: {"10", ""},
		mockplatform.RetryAfterReset:   {"", "10"},
		mockplatform.RetryAfterNone:    {"", ""},
	} {
		b := behaving(t, mockplatform.Behaviour{RateLimit: mockplatform.RateLimit{PerSecond: 0.1, RetryAfter: form}})
		equal(t, "first", b.send("GET", alertsPath+mockplatform.AlertID, "").status, 200)
		last := b.send("GET", alertsPath+mockplatform.AlertID, "")
		equal(t, "second", last.status, 429)
		equal(t, string(form), []string{last.header.Get("Retry-After"), last.header.Get("RateLimit-Reset")}, want)
	}
}

func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	inBubble(t, func(b *bench) {
		ids := b.platform.AddServices(mockplatform.OrganizationID, 40)
		pipes := b.platform.AddPipes(ids[0], 40)
		b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Latency = time.Millisecond })
		var group sync.WaitGroup
		for i := range 40 {
			group.Go(func() {
				b.must("PATCH", servicesPath+"/"+ids[i]+"/scaling", fmt.Sprintf(`{"numReplicas":%d}`, 2+i%19))
				equal(b.T, "list after the change", at(b.send("GET", servicesPath, "").body, fmt.Sprintf("result.%d.numReplicas", 3+i)), 2+i%19)
				b.must("POST", keysPath, keyBody)
				b.must("PATCH", servicesPath+"/"+ids[0]+"/pipes/"+pipes[i], `{"name":"n"}`)
				b.platform.UpdateService(ids[i], func(doc mockplatform.Document) { doc["name"] = "renamed" })
				b.platform.Configure(func(behaviour *mockplatform.Behaviour) { behaviour.Responses.ShuffleSets = i%2 == 0 })
				b.platform.Inject(mockplatform.Fault{Path: "/none"})
				b.platform.Requests()
			})
		}
		group.Wait()
		equal(b.T, "keys", len(b.platform.Keys()), 40)
		equal(b.T, "requests", len(b.platform.Requests()), 160)
		equal(b.T, "concurrent requests", b.platform.PeakInFlight(), 40)
	})
}
