package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func serviceID(i int) string { return fmt.Sprintf("0b6f8a3e-2222-4c4c-8d8d-%012d", i) }

// haveServices gives the organization n services of one replica, to which each
// PATCH adds one.
func haveServices(f *fake, n int) {
	f.RemoveServices(testOrganization)
	for i := range n {
		f.SetService(testOrganization, mockplatform.Document{"id": serviceID(i), "numReplicas": 1})
	}
	f.Configure(func(b *mockplatform.Behaviour) {
		b.Patches.Rewrites = []mockplatform.Rewrite{{
			Operation: mockplatform.UpdateScaling, Path: "numReplicas", Unsent: true,
			To: func(replicas any) any { n, _ := replicas.(json.Number).Int64(); return n + 1 },
		}}
	})
}

// late returns the state at the arrival of the request, after a delay and with IDs
// in upper case.
func late(delay time.Duration) fault {
	return fault{After: true, Delay: delay, Edit: func(body mockplatform.Document) {
		services, listed := body["result"].([]any)
		if !listed {
			services = []any{body["result"]}
		}
		for _, service := range services {
			doc := service.(mockplatform.Document)
			doc["id"] = strings.ToUpper(doc["id"].(string))
		}
	}}
}

func getReplicas(t *testing.T, c *Client, id string) float64 {
	t.Helper()
	s, err := c.GetService(t.Context(), testOrganization, id, nil)
	if err != nil {
		t.Error(err)
		return -1
	}
	return replicas(s[0])
}

func replicas(s *Service) float64 {
	n, _ := s.NumReplicas.Float64()
	return n
}

func TestThousandReadsCostOneList(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		haveServices(f, 1000)
		f.Always(late(time.Second))
		crowd(1000, 1000, func(i int) { getReplicas(t, c, serviceID(i)) })
		if n := f.Sent("GET"); n != 1 {
			t.Errorf("%d lists", n)
		}
		time.Sleep(listLifetime)
		getReplicas(t, c, serviceID(3))
		if n := f.Sent("GET"); n != 2 {
			t.Errorf("%d lists after the first one's lifetime", n)
		}
		if all, err := c.ListServices(t.Context(), testOrganization, nil); err != nil || len(all) != 1000 || *all[7].ID != strings.ToUpper(serviceID(7)) {
			t.Error(len(all), err)
		}
		getReplicas(t, c, serviceID(4))
		if n := f.Sent("GET"); n != 3 {
			t.Errorf("%d lists, want one more for the fresh read, which serves the read after it", n)
		}
	})
}

// freshReads are the reads of data sources.
var freshReads = map[string]func(c *Client, i int) (*Service, error){
	"by ID": func(c *Client, i int) (*Service, error) {
		return c.GetFreshService(context.Background(), testOrganization, serviceID(i))
	},
	"by name": func(c *Client, i int) (*Service, error) {
		found, err := c.FindServices(context.Background(), testOrganization, fmt.Sprint("service ", i))
		return &append(found, Service{})[0], err
	},
	"all": func(c *Client, i int) (*Service, error) {
		all, err := c.ListServices(context.Background(), testOrganization, nil)
		return &append(all, make([]Service, i+1)...)[i], err
	},
}

// A fresh read shows what another program wrote before it was asked for, whatever list is
// under way or remembered. Reads at a time share a list: ten readers need one list for ten
// reads, and one more for the first.
func TestFreshReads(t *testing.T) {
	t.Parallel()
	for name, read := range freshReads {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			const n = 100
			haveServices(f, n)
			for i := range n {
				f.UpdateService(serviceID(i), func(doc mockplatform.Document) { doc["name"] = fmt.Sprint("service ", i) })
			}
			f.Always(late(time.Second))
			var work sync.WaitGroup
			for turn := range 4 { // the second one while the list of the first is under way
				f.UpdateService(serviceID(0), func(doc mockplatform.Document) { doc["numReplicas"] = turn })
				for range 2 {
					work.Go(func() {
						if service, err := read(c, 0); err != nil || replicas(service) < float64(turn) {
							t.Errorf("%s: turn %d: %v %v", name, turn, service, err)
						}
					})
				}
				time.Sleep([]time.Duration{time.Second / 2, 10 * time.Second, listLifetime, 0}[turn])
			}
			work.Wait()
			before := f.Sent("GET")
			time.Sleep(time.Second)
			crowd(n, 10, func(i int) {
				if _, err := read(c, i); err != nil {
					t.Error(err)
				}
			})
			if lists := f.Sent("GET") - before; before > 2*4 || lists > n/10+1 {
				t.Errorf("%s: %d lists for 8 reads, and %d for %d reads", name, before, lists, n)
			}
		})
	}
}

// A list that fails is the error of every fresh read for as long as it is remembered.
func TestFreshReadsFailOnce(t *testing.T) {
	t.Parallel()
	for name, read := range freshReads {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			haveServices(f, 1)
			f.Always(fault{Status: 403, Delay: time.Second})
			crowd(30, 10, func(int) {
				if _, err := read(c, 0); err == nil {
					t.Error("no error")
				}
			})
			if n := f.Sent("GET"); n != 1 {
				t.Errorf("%s: %d lists", name, n)
			}
			for range 6 {
				time.Sleep(listLifetime / 3)
				_, _ = read(c, 0)
			}
			if n := f.Sent("GET"); n != 3 {
				t.Errorf("%s: %d lists, want one for each lifetime", name, n)
			}
			f.ClearFaults()
			time.Sleep(listLifetime)
			if _, err := read(c, 0); err != nil {
				t.Error(err)
			}
		})
	}
}

// A reader that leaves while it waits for a list to begin takes nothing from the others.
func TestFreshReadersLeave(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		haveServices(f, 1)
		f.Always(late(time.Second))
		read := func(patience time.Duration, leaves bool) {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, err := c.GetFreshService(ctx, testOrganization, serviceID(0)); (err != nil) != leaves {
				t.Error(err)
			}
		}
		var work sync.WaitGroup
		work.Go(func() { read(time.Minute, false) })
		time.Sleep(time.Second / 4)
		work.Go(func() { read(time.Second/4, true) })
		time.Sleep(time.Second / 2)
		work.Go(func() { read(time.Minute, false) })
		work.Wait()
		if n := f.Sent("GET"); n != 2 {
			t.Errorf("%d lists, want none for the reader who left", n)
		}
	})
}

func TestAdoptingCostsAHandfulOfLists(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		haveServices(f, 300)
		f.Always(late(time.Second))
		crowd(300, 10, func(i int) {
			getReplicas(t, c, serviceID(i))
			if _, err := c.UpdateServiceScaling(t.Context(), testOrganization, serviceID(i), ScalingUpdate{}); err != nil {
				t.Error(err)
			}
		})
		if n := f.Sent("GET"); n > 4 {
			t.Errorf("%d lists for 300 adoptions", n)
		}
	})
}

func TestReadAfterWriteSeesIt(t *testing.T) {
	t.Parallel()
	for _, fails := range []bool{false, true} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			haveServices(f, 12)
			if fails { // the change is applied, and the response lost
				f.Inject(fault{Method: http.MethodPatch, After: true, Delay: time.Second, Status: 501, Times: mockplatform.Always})
			}
			f.Always(late(time.Second))
			crowd(12, 12, func(i int) {
				for turn := range 5 {
					before := getReplicas(t, c, serviceID(i))
					if _, err := c.UpdateServiceScaling(t.Context(), testOrganization, serviceID(i), ScalingUpdate{}); (err != nil) != fails {
						t.Error(err)
					}
					if after := getReplicas(t, c, serviceID(i)); after != before+1 {
						t.Errorf("turn %d: %v after a write, %v before", turn, after, before)
					}
					all, err := c.ListServices(t.Context(), testOrganization, nil)
					if err != nil || replicas(&all[i]) != before+1 {
						t.Error("the list is stale", err)
					}
					time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				}
			})
		})
	}
}

func TestPipeReadsAreSharedUntilAWrite(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Always(slow(10*time.Second, good))
		var work sync.WaitGroup
		var first, second *Pipe
		read := func(into **Pipe) {
			work.Go(func() {
				p, err := c.GetPipe(t.Context(), testOrganization, testService, strings.ToUpper(testPipe))
				if err != nil {
					t.Error(err)
				}
				*into = p
			})
			time.Sleep(time.Second)
		}
		read(&first)
		read(&second)
		if n := f.Sent("GET"); n != 1 {
			t.Errorf("%d requests for two reads at a time", n)
		}
		work.Go(func() { _, _ = operations["update"].call(t.Context(), c) })
		time.Sleep(time.Second)
		var third *Pipe
		read(&third)
		if n := f.Sent("GET"); n != 2 {
			t.Errorf("%d requests, want another one after the write began", n)
		}
		work.Wait()
		if first == second || first.Name == second.Name {
			t.Error("readers share memory")
		}
	})
}

// A caller that cancels leaves at once and fails nobody else, and the last one ends the
// read, whose failure is nobody's.
func TestCancelledCallers(t *testing.T) {
	t.Parallel()
	for _, o := range []string{"service", "pipe", "alert"} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(hang)
			var cancels []context.CancelFunc
			var done atomic.Int32
			for range 3 {
				ctx, cancel := context.WithCancel(t.Context())
				cancels = append(cancels, cancel)
				go func() {
					if _, err := operations[o].call(ctx, c); !errors.Is(err, context.Canceled) {
						t.Error(err)
					}
					done.Add(1)
				}()
			}
			for i, cancel := range cancels {
				synctest.Wait()
				if done.Load() != int32(i) || f.Open() != 1 || f.Sent("GET") != 1 {
					t.Errorf("%s: %d callers have left, %d connections, %d requests", o, done.Load(), f.Open(), f.Sent("GET"))
				}
				cancel()
			}
			synctest.Wait()
			if n := f.Open(); n != 0 {
				t.Error("still reading")
			}
			if _, err := operations[o].call(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
}

// A service that is missing from one list is not gone where the second list fails.
func TestMissingOnce(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]fault{
		"forbidden":  respond(403, ""),
		"404":        respond(404, ownError),
		"null":       respond(200, `{"result":null}`),
		"without id": respond(200, `{"result":[{"name":"x"}]}`),
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(listOf('O', 1), second)
			if _, err := operations["service"].call(t.Context(), c); outcome(err) != "failed" || f.Sent("GET") != 2 {
				t.Errorf("%s: %s with %d lists: %v", name, outcome(err), f.Sent("GET"), err)
			}
		})
	}
}

func TestOrganizationsAndFiltersAreApart(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Always(late(time.Second))
		var work sync.WaitGroup
		for _, organization := range []string{testOrganization, mockplatform.OtherOrganizationID} {
			for _, filter := range [][]string{nil, {"a=1"}, {"a=1", "b=2"}, {"a=1&filter=b=2"}} {
				work.Go(func() {
					if _, err := c.ListServices(t.Context(), organization, filter); err != nil {
						t.Error(err)
					}
				})
			}
		}
		time.Sleep(time.Second / 2)
		if n := f.Sent("GET"); n != 8 {
			t.Errorf("%d lists at a time", n)
		}
		work.Wait()
	})
}

// An unusable field fails only the reads of its own service. Of a service that is listed
// twice, the first counts. A name is equal in any normal form.
func TestListsOfAllKinds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Always(respond(200, `{"result":[{"id":"`+testService+`","name":"cafe\u0301"},{"id":"`+testPipe+`","numReplicas":"many"},{"id":"`+testService+`","name":"b"}]}`))
		if _, err := operations["service"].call(t.Context(), c); err != nil {
			t.Error(err)
		}
		if _, err := c.GetService(t.Context(), testOrganization, testPipe, nil); err == nil || IsNotFound(err) {
			t.Error(err)
		}
		if _, err := c.ListServices(t.Context(), testOrganization, nil); err == nil {
			t.Error("an unusable service was listed")
		}
		if found, err := c.FindServices(t.Context(), testOrganization, "caf\u00e9"); err != nil || len(found) != 1 {
			t.Error(found, err)
		}
		if found, err := c.FindServices(t.Context(), testOrganization, "b"); err != nil || len(found) != 0 {
			t.Error(found, err)
		}
	})
}

// A list of ten thousand services is larger than an object may be.
func TestListMayBeLarge(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.InjectEach(respond(200, `{"result":[`+strings.Repeat(" ", 30<<20)+`]}`))
		if _, err := c.ListServices(t.Context(), testOrganization, nil); err != nil {
			t.Error(err)
		}
	})
}
