package platform

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// What a list says of the service of these tests: it has it whole, has it without a
// field, or omits it.
const letters = "WPO"

// orders are all orders of up to n lists.
func orders(n int) []string {
	all, last := []string{}, []string{""}
	for range n {
		var next []string
		for _, begin := range last {
			for _, letter := range letters {
				next = append(next, begin+string(letter))
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// expected is the outcome of a look at lists in this order, with the number of the
// lists that it needs: "whole", "both", "gone", or "" if the order decides nothing.
// It restates the promise: gone after two in a row, and a field is empty after two
// lists without it.
func expected(order string) (outcome string, lists int) {
	for n := 1; n <= len(order); n++ {
		seen := order[:n]
		sinceWhole := seen[strings.LastIndex(seen, "W")+1:]
		switch {
		case strings.HasSuffix(seen, "W"):
			return "whole", n
		case strings.HasSuffix(seen, "OO"):
			return "gone", n
		case strings.HasSuffix(seen, "P") && strings.Count(sinceWhole, "P") == 2:
			return "both", n
		}
	}
	return "", len(order)
}

// listOf is the response of a list of this letter, with these services or that of the
// tests. Their name is the number of the list.
func listOf(letter rune, n int, ids ...string) fault {
	if ids == nil {
		ids = []string{testService}
	}
	var services []string
	for _, id := range ids {
		switch letter {
		case 'W':
			services = append(services, fmt.Sprintf(`{"id":%q,"name":"%d","numReplicas":3}`, id, n))
		case 'P':
			services = append(services, fmt.Sprintf(`{"id":%q,"name":"%d"}`, id, n))
		}
	}
	return respond(200, `{"status":200,"result":[`+strings.Join(services, ",")+`]}`)
}

func hasReplicas(s *Service) bool { return s.NumReplicas != nil }

// lookedAt is how a look ended, and which lists it returned, the newest first.
func lookedAt(t *testing.T, readings []*Service, err error) (outcome, names string) {
	t.Helper()
	for _, service := range readings {
		names += *service.Name
	}
	switch {
	case IsNotFound(err):
		return "gone", names
	case err != nil:
		t.Error(err)
		return "failed", names
	case len(readings) == 2:
		return "both", names
	case !hasReplicas(readings[0]):
		return "incomplete", names
	default:
		return "whole", names
	}
}

// Every order of lists is decided after four of them at most, and no service or field is
// lost that the newest list has. A refresh of many shares the lists that confirm what one
// omits.
func TestLookDecidesEveryOrder(t *testing.T) {
	t.Parallel()
	for _, order := range orders(4) {
		want, lists := expected(order)
		if want == "" && len(order) == 4 {
			t.Errorf("%s decides nothing", order)
		}
		if want == "" || len(order) > lists {
			continue
		}
		for _, n := range []int{1, 100} {
			ids := make([]string, n)
			for at := range ids {
				ids[at] = serviceID(at)
			}
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				for i, letter := range order {
					f.InjectEach(listOf(letter, i+1, ids...))
				}
				crowd(n, 10, func(at int) {
					readings, err := c.GetService(t.Context(), testOrganization, ids[at], hasReplicas)
					got, names := lookedAt(t, readings, err)
					if got != want || want != "gone" && !strings.HasPrefix(names, fmt.Sprint(lists)) {
						t.Errorf("%s: %s of list %s, want %s of list %d", order, got, names, want, lists)
					}
				})
				if f.Sent("GET") != lists {
					t.Errorf("%s: %d lists for %d services, want %d", order, f.Sent("GET"), n, lists)
				}
			})
		}
	}
}

// A list that another reader has caused counts: what it had before the newest list
// is remembered.
func TestLookRemembersEarlierLists(t *testing.T) {
	t.Parallel()
	for order, test := range map[string]struct {
		want  string
		lists int
	}{
		"OO":   {"gone", 2}, // the other reader has looked at both
		"OP":   {"both", 4}, // another list without the field is needed: P
		"OW":   {"whole", 2},
		"OPP":  {"both", 3},
		"OPOO": {"gone", 4},
		"OPW":  {"whole", 3},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			for i, letter := range order {
				f.InjectEach(listOf(letter, i+1))
			}
			f.InjectEach(listOf('O', 8), listOf('P', 9))
			// The other service is in no list: its reader looks at two.
			if _, err := c.GetService(t.Context(), testOrganization, testPipe, nil); !IsNotFound(err) {
				t.Error(err)
			}
			readings, err := c.GetService(t.Context(), testOrganization, testService, hasReplicas)
			if got, _ := lookedAt(t, readings, err); got != test.want || f.Sent("GET") != test.lists {
				t.Errorf("%s: %s after %d lists, want %s after %d", order, got, f.Sent("GET"), test.want, test.lists)
			}
		})
	}
}

// A list that began before the first one ended is no second look.
func TestSecondLookBeginsAfterTheFirst(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.InjectEach(slow(10*time.Second, listOf('O', 1)), slow(10*time.Second, listOf('O', 2)), listOf('W', 3))
		var work sync.WaitGroup
		work.Go(func() {
			if _, err := operations["service"].call(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Second)
		c.lists.outdate(testOrganization, testPipe)
		_, _ = c.GetService(t.Context(), testOrganization, testPipe, nil) // needs a list after the write
		work.Wait()
	})
}

// By name, a list has a service or omits it.
func TestLookByName(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]int{"OW": 1, "OO": 0} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			for _, letter := range order {
				f.InjectEach(listOf(letter, 7))
			}
			found, err := c.FindServices(t.Context(), testOrganization, "7")
			if err != nil || len(found) != want || f.Sent("GET") != 2 {
				t.Errorf("%s: %d services after %d lists: %v", order, len(found), f.Sent("GET"), err)
			}
		})
	}
}

// An earlier list that began before a write proves nothing, and neither does one of
// another time.
func TestLookForgets(t *testing.T) {
	t.Parallel()
	for name, between := range map[string]func(t *testing.T, c *Client){
		"a write": func(t *testing.T, c *Client) { _, _ = operations["scaling"].call(t.Context(), c) },
		"time":    func(*testing.T, *Client) { time.Sleep(listLifetime) },
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(listOf('O', 1), listOf('O', 2))
			if _, err := operations["service"].call(t.Context(), c); !IsNotFound(err) {
				t.Error(err)
			}
			between(t, c)
			f.InjectEach(listOf('O', 3), listOf('O', 4))
			if _, err := operations["service"].call(t.Context(), c); !IsNotFound(err) || f.Sent("GET") != 4 {
				t.Error(name, f.Sent("GET"), err)
			}
		})
	}
}
