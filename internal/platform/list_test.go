package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func serviceID(i int) string { return fmt.Sprintf("0b6f8a3e-2222-4c4c-8d8d-%012d", i) }

// haveServices gives the organization n services of no replica. Lists take a second, and have
// the state at the arrival of the request, with IDs in upper case.
func haveServices(f *fake, n int) {
	f.RemoveServices(testOrganization)
	for i := range n {
		f.SetService(testOrganization, mockplatform.Document{"id": serviceID(i), "name": fmt.Sprint("service ", i), "numReplicas": 0})
	}
	f.Always(fault{Method: http.MethodGet, After: true, Delay: time.Second, Edit: func(body mockplatform.Document) {
		for _, service := range body["result"].([]any) {
			doc := service.(mockplatform.Document)
			doc["id"] = strings.ToUpper(doc["id"].(string))
		}
	}})
}

func scale(t *testing.T, c *Client, i, replicas int) error {
	return c.UpdateServiceScaling(t.Context(), testOrganization, serviceID(i), map[string]any{"numReplicas": replicas}, new(object).read)
}

// Few lists serve many reads: one each read of a walk, one more each read after it, and one
// each lifetime of a list. A write is about one service.
func TestManyReadsCostFewLists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		n, parallelism, reads, lists int
		pause                        time.Duration
		writes, gone                 bool
	}{
		"a plan":               {n: 1000, parallelism: 10, reads: 1, lists: 1},
		"a slow plan":          {n: 5, parallelism: 1, reads: 1, lists: 3, pause: 2 * listLifetime / 3},
		"an apply that adopts": {n: 300, parallelism: 10, reads: 2, lists: 2, writes: true},
		"disappearance":        {n: 60, parallelism: 10, reads: 1, lists: 2, gone: true},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			haveServices(f, test.n)
			if test.gone {
				f.RemoveServices(testOrganization)
			}
			crowd(test.n, test.parallelism, func(i int) {
				for range test.reads {
					if err := c.GetService(t.Context(), testOrganization, serviceID(i), new(object).read); IsNotFound(err) != test.gone {
						t.Error(err)
					}
				}
				time.Sleep(test.pause)
				if test.writes && scale(t, c, i, 2) != nil {
					t.Error("not written")
				}
			})
			if n := f.Sent("GET"); n != test.lists {
				t.Errorf("%s: %d lists, want %d", name, n, test.lists)
			}
		})
	}
}

// What lists say of a service: W has it, O omits it, and the others cannot be used. Those
// before the bar were caused by other readers; the read causes those after it.
func TestConsecutiveLists(t *testing.T) {
	t.Parallel()
	responses := map[rune]fault{
		'W': respond(200, `{"result":[{"id":"`+testService+`"}]}`),
		'O': respond(200, `{"result":[]}`),
		'F': respond(403, ""),
		'4': respond(404, ownError),
		'N': respond(200, `{"result":null}`),
		'I': respond(200, `{"result":[{}]}`),
	}
	for want, orders := range map[string]string{
		"ok":        "|W |OW W| OW| O|W OWO| OOW|",
		"not found": "|OO OO| O|O",
		"failed":    "|F |OF |O4 |ON |OI OF| F|",
	} {
		for order := range strings.FieldsSeq(orders) {
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				others, own, _ := strings.Cut(order, "|")
				for _, letter := range others + own {
					f.InjectEach(responses[letter])
				}
				for range others {
					_ = c.ListServices(t.Context(), testOrganization, nil, new(object).read)
				}
				err := c.GetService(t.Context(), testOrganization, testService, new(object).read)
				if got := outcome(err); got != want || f.Sent("GET") != len(others+own) {
					t.Errorf("%s: %s after %d lists, want %s: %v", order, got, f.Sent("GET"), want, err)
				}
			})
		}
	}
}

// No list that is older than a write shows the service, whether the write succeeds or its
// response is lost.
func TestReadAfterWriteSeesIt(t *testing.T) {
	t.Parallel()
	for _, status := range []int{0, 501} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			haveServices(f, 12)
			f.Always(fault{Method: http.MethodPatch, After: true, Delay: time.Second, Status: status})
			crowd(12, 12, func(i int) {
				for replicas := range 5 {
					if err := scale(t, c, i, replicas+1); (err != nil) != (status != 0) {
						t.Error(err)
					}
					var service object
					err := c.GetService(t.Context(), testOrganization, serviceID(i), service.read)
					if err != nil || *service.NumReplicas != replicas+1 {
						t.Errorf("%d replicas are not shown: %v", replicas+1, err)
					}
					time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				}
			})
		})
	}
}

// kept is the number of lists that a client keeps.
func kept(c *Client) (n int) {
	c.lists.mu.Lock()
	defer c.lists.mu.Unlock()
	for _, last := range c.lists.last {
		n += len(last)
	}
	return n
}

// freshReads are the reads of data sources. Each reads the service of this number last.
var freshReads = map[string]func(ctx context.Context, c *Client, last int) (*object, error){
	"by ID": func(ctx context.Context, c *Client, last int) (*object, error) {
		return reading(func(read Read) error { return c.GetFreshService(ctx, testOrganization, serviceID(last), read) })
	},
	"by name": func(ctx context.Context, c *Client, last int) (*object, error) {
		return find(ctx, c, fmt.Sprint("service ", last))
	},
	"all": func(ctx context.Context, c *Client, _ int) (*object, error) {
		return reading(func(read Read) error { return c.ListServices(ctx, testOrganization, nil, read) })
	},
}

func find(ctx context.Context, c *Client, name string) (*object, error) {
	return reading(func(read Read) error { return c.FindServices(ctx, testOrganization, name, read) })
}

// A fresh read shows what another program wrote before it was asked for, whatever list is
// under way or remembered.
func TestFreshReads(t *testing.T) {
	t.Parallel()
	for name, read := range freshReads {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			haveServices(f, 3)
			for replicas, begins := range []time.Duration{0, time.Second / 2, 10 * time.Second, 2 * listLifetime} {
				time.AfterFunc(begins, func() {
					f.UpdateService(serviceID(2), func(doc mockplatform.Document) { doc["numReplicas"] = replicas })
					if service, err := read(t.Context(), c, 2); err != nil || *service.NumReplicas < replicas {
						t.Errorf("%s: %v %v, want %d", name, service, err, replicas)
					}
				})
			}
			time.Sleep(3 * listLifetime)
			if lists := f.Sent("GET"); lists != 4 || f.PeakInFlight() != 1 {
				t.Errorf("%s: %d lists, %d at a time", name, lists, f.PeakInFlight())
			}
		})
	}
}

// One fresh list is under way at a time, and who asks meanwhile shares the next one. So at the
// worst, a list serves every other turn of those who read at a time. One that fails is the
// error of every fresh read for as long as it is remembered.
func TestFreshReadsShareLists(t *testing.T) {
	t.Parallel()
	const reads, parallelism = 100, 10
	for _, test := range []struct {
		fault fault
		fails bool
		lists int
	}{
		{slow(time.Second, good), false, 2 * reads / parallelism},
		{slow(time.Second, respond(403, "")), true, 1},
	} {
		for name, read := range freshReads {
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				haveServices(f, 1)
				f.ClearFaults()
				f.Always(test.fault)
				crowd(reads, parallelism, func(int) {
					if _, err := read(t.Context(), c, 0); (err != nil) != test.fails {
						t.Error(name, err)
					}
				})
				lists := f.Sent("GET")
				if lists > test.lists || f.PeakInFlight() != 1 {
					t.Errorf("%s: %d lists, %d at a time", name, lists, f.PeakInFlight())
				}
				if n := kept(c); n > 2 {
					t.Errorf("%s: %d lists are kept", name, n)
				}
				time.Sleep(listLifetime + time.Second)
				if _, _ = read(t.Context(), c, 0); f.Sent("GET") == lists {
					t.Errorf("%s: a list is remembered after its lifetime", name)
				}
			})
		}
	}
}

// A reader that leaves takes nothing from the others, whether the list is under way or waits
// for its turn, and nothing is sent for the reader. The last one ends the list, whose failure
// is nobody's.
func TestReadersLeave(t *testing.T) {
	t.Parallel()
	const list = time.Second
	type reader struct {
		begins, leaves time.Duration // leaves 0 is never
	}
	for name, test := range map[string]struct {
		readers []reader
		lists   int
	}{
		"all of those who wait":        {[]reader{{0, 0}, {list / 4, list / 2}, {list / 4, list / 2}}, 1},
		"one of the next list":         {[]reader{{0, 0}, {list / 4, 3 * list / 2}, {list / 4, 0}}, 2},
		"all, and another comes later": {[]reader{{0, list / 2}, {3 * list / 4, 0}}, 2},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			haveServices(f, 1)
			crowd(len(test.readers), len(test.readers), func(i int) {
				reader := test.readers[i]
				time.Sleep(reader.begins)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if reader.leaves > 0 {
					time.AfterFunc(reader.leaves-reader.begins, cancel)
				}
				_, err := freshReads["by ID"](ctx, c, 0)
				if left := errors.Is(err, context.Canceled); left != (reader.leaves > 0) || err != nil && !left {
					t.Errorf("%s: reader %d: %v", name, i, err)
				}
			})
			c.rest.Transport().CloseIdleConnections()
			synctest.Wait()
			if f.Sent("GET") != test.lists || f.Open() != 0 {
				t.Errorf("%s: %d lists, want %d; %d connections", name, f.Sent("GET"), test.lists, f.Open())
			}
		})
	}
}

func TestOrganizationsAndFiltersAreApart(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Always(slow(time.Second, good))
		organizations := []string{testOrganization, mockplatform.OtherOrganizationID}
		filters := [][]string{nil, {"a=1"}, {"a=1", "b=2"}, {"a=1&filter=b=2"}}
		crowd(8, 8, func(i int) {
			if err := c.ListServices(t.Context(), organizations[i%2], filters[i/2], new(object).read); err != nil {
				t.Error(err)
			}
		})
		if n := f.PeakInFlight(); n != 8 {
			t.Errorf("%d lists at a time", n)
		}
		time.Sleep(listLifetime + time.Second)
		if n := kept(c); n != 0 {
			t.Errorf("%d lists are kept after their lifetime", n)
		}
	})
}

// An unusable field fails only the reads of its own service. Of a service that is listed
// twice, the first counts. A name is equal in any normal form, and one that a list omits is
// looked for in another.
func TestListsOfAllKinds(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.Always(respond(200, `{"result":[{"id":"`+testService+`","name":"cafe\u0301"},{"id":"`+testPipe+`","numReplicas":"many"},{"id":"`+testService+`","name":"b"}]}`))
		if service, err := do(t.Context(), c, "service"); err != nil || *service.Name != "cafe\u0301" {
			t.Error(err)
		}
		if err := c.GetService(t.Context(), testOrganization, testPipe, new(object).read); err == nil || IsNotFound(err) {
			t.Error(err)
		}
		if _, err := do(t.Context(), c, "list"); err == nil {
			t.Error("an unusable service was listed")
		}
		for name, lists := range map[string]int{"caf\u00e9": 1, "b": 2} {
			before := f.Sent("GET")
			if found, err := find(t.Context(), c, name); err != nil || (found != nil) != (lists == 1) || f.Sent("GET")-before != lists {
				t.Errorf("%s: %v after %d lists, %v", name, found, f.Sent("GET")-before, err)
			}
		}
	})
}
