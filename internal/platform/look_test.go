package platform

import (
	"fmt"
	"strings"
	"sync"
	"testing"
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

// listOf is the response of a list of this letter. The name of the service is the
// number of the list.
func listOf(letter rune, n int) fault {
	service := ""
	switch letter {
	case 'W':
		service = fmt.Sprintf(`{"id":%q,"name":"%d","numReplicas":3}`, testService, n)
	case 'P':
		service = fmt.Sprintf(`{"id":%q,"name":"%d"}`, testService, n)
	}
	return respond(200, `{"status":200,"result":[`+service+`]}`)
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

// Every order of lists is decided after four of them at most, and no service or
// field is lost that the newest list has.
func TestLookDecidesEveryOrder(t *testing.T) {
	t.Parallel()
	for _, order := range orders(4) {
		want, lists := expected(order)
		if want == "" {
			if len(order) == 4 {
				t.Errorf("%s decides nothing", order)
			}
			continue
		}
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			for i, letter := range order {
				f.inject(listOf(letter, i+1))
			}
			readings, err := c.GetService(t.Context(), testOrganization, testService, hasReplicas)
			got, names := lookedAt(t, readings, err)
			if got != want || f.count("GET") != lists {
				t.Errorf("%s: %s after %d lists, want %s after %d", order, got, f.count("GET"), want, lists)
			}
			if want != "gone" && !strings.HasPrefix(names, fmt.Sprint(lists)) {
				t.Errorf("%s: read from list %s, want the newest first", order, names)
			}
		})
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
				f.inject(listOf(letter, i+1))
			}
			f.inject(listOf('O', 8), listOf('P', 9))
			// The other service is in no list: its reader looks at two.
			if _, err := c.GetService(t.Context(), testOrganization, testPipe, nil); !IsNotFound(err) {
				t.Error(err)
			}
			readings, err := c.GetService(t.Context(), testOrganization, testService, hasReplicas)
			if got, _ := lookedAt(t, readings, err); got != test.want || f.count("GET") != test.lists {
				t.Errorf("%s: %s after %d lists, want %s after %d", order, got, f.count("GET"), test.want, test.lists)
			}
		})
	}
}

// A refresh of many shares the lists that confirm what one omits.
func TestLooksShareTheirLists(t *testing.T) {
	t.Parallel()
	for _, order := range orders(4) {
		want, lists := expected(order)
		if want == "" || len(order) != lists {
			continue
		}
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			for i, letter := range order {
				var services []string
				for at := range 100 {
					switch letter {
					case 'W':
						services = append(services, fmt.Sprintf(`{"id":%q,"name":"%d","numReplicas":3}`, serviceID(at), i))
					case 'P':
						services = append(services, fmt.Sprintf(`{"id":%q,"name":"%d"}`, serviceID(at), i))
					}
				}
				f.inject(respond(200, `{"status":200,"result":[`+strings.Join(services, ",")+`]}`))
			}
			turns := make(chan struct{}, 10)
			var work sync.WaitGroup
			for at := range 100 {
				work.Go(func() {
					turns <- struct{}{}
					defer func() { <-turns }()
					readings, err := c.GetService(t.Context(), testOrganization, serviceID(at), hasReplicas)
					if got, _ := lookedAt(t, readings, err); got != want {
						t.Errorf("%s: %s, want %s", order, got, want)
					}
				})
			}
			work.Wait()
			if n := f.count("GET"); n != lists {
				t.Errorf("%s: %d lists for 100 services, want %d", order, n, lists)
			}
		})
	}
}

// By name, a list has a service or omits it.
func TestLookByName(t *testing.T) {
	t.Parallel()
	for _, order := range orders(4) {
		if strings.Contains(order, "P") {
			continue
		}
		want, lists := expected(order)
		if want == "" {
			continue
		}
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			for _, letter := range order {
				f.inject(listOf(letter, 7))
			}
			found, err := c.FindServices(t.Context(), testOrganization, "7")
			if err != nil || (len(found) == 1) != (want == "whole") || f.count("GET") != lists {
				t.Errorf("%s: %d services after %d lists, want %s after %d: %v", order, len(found), f.count("GET"), want, lists, err)
			}
		})
	}
}

// An earlier list without the service that began before a write to it proves
// nothing, and neither does one of another time.
func TestLookForgets(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(listOf('O', 1), listOf('W', 2))
		if _, err := c.GetService(t.Context(), testOrganization, testService, nil); err != nil {
			t.Error(err)
		}
		if _, err := operations()["scaling"].call(t.Context(), c); err != nil {
			t.Error(err)
		}
		f.inject(listOf('O', 3), listOf('W', 4))
		if _, err := c.GetService(t.Context(), testOrganization, testService, nil); err != nil || f.count("GET") != 4 {
			t.Error(f.count("GET"), err)
		}
	})
}
