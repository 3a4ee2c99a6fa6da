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

// Which list serves a read, a row for each rule. An event is what begins, after how many
// seconds, and when its caller cancels it: a, b and c read a service, A reads a by its ID in
// capitals, f reads a anew, n looks for the name of a, l lists all, t those with a tag, o those of
// another organization, w writes to a, and x is a write that is rejected. The lists are all that are sent, and take a second each: W has the
// services, O omits them, M has the first one and a next page, and the others fail.
func TestWhichListServesARead(t *testing.T) {
	t.Parallel()
	responses := map[rune]fault{
		'W': respond(200, fmt.Sprintf(`{"result":[{"id":%q,"name":"a"},{"id":%q},{"id":%q}]}`, serviceID(0), serviceID(1), serviceID(2))),
		'O': respond(200, `{"result":[]}`),
		'M': respond(200, fmt.Sprintf(`{"result":[{"id":%q,"name":"a"}],"nextPageToken":"t"}`, serviceID(0))),
		'F': respond(403, ""),
		'4': respond(404, ownError),
	}
	for rule, test := range map[string]struct{ events, lists, want string }{
		"a list serves the reads of all services":                   {"a0 b2 c3", "W", "ok,ok,ok"},
		"a list under way serves reads":                             {"a0 b0.5", "W", "ok,ok"},
		"another read of a service needs a later list":              {"a0 a2", "WW", "ok,ok"},
		"a second read joins a list under way":                      {"a0 f0.5 a1.2", "WW", "ok,ok,ok"},
		"a service is gone if two lists omit it":                    {"a0", "OO", "gone"},
		"a service is there if the second list has it":              {"a0", "OW", "ok"},
		"reads of services that are gone share two lists":           {"a0 b0.5 c5", "OO", "gone,gone,gone"},
		"a list with a next page has what it has":                   {"a0 n2 f4", "MMM", "ok,ok,ok"},
		"what a list with a next page omits is not gone":            {"b0", "M", "failed"},
		"a list with a next page is not all":                        {"l0", "M", "failed"},
		"a second list with a next page is no second one":           {"a0 b2", "OM", "ok,failed"},
		"a 404 to a list is not about a service":                    {"a0", "O4", "failed"},
		"letter case makes no other service":                        {"a0 A2 w4 A7", "WWW", "ok,ok,ok,ok"},
		"a fresh read finds nothing only in two lists":              {"f0", "OO", "gone"},
		"a name is looked for in two lists":                         {"n0 n5", "OOOW", "nothing,ok"},
		"a filter or an organization has lists of its own":          {"l0 t0 o0", "WWW", "ok,ok,ok"},
		"only the last two lists are kept":                          {"l0 l2 l4 a6 a7 a8", "WWWW", "ok,ok,ok,ok,ok,ok"},
		"a list is forgotten after its lifetime":                    {"a0 b32", "WW", "ok,ok"},
		"a list is kept when one before it is forgotten":            {"a0 a2 b32 c32.5", "WW", "ok,ok,ok,ok"},
		"a list that began before a write is outdated":              {"b0 w2 a5", "WW", "ok,ok,ok"},
		"a list that began before a write serves no read beside it": {"b0 w2 a2.5", "WW", "ok,ok,ok"},
		"a write outdates lists for its service alone":              {"b0 w2 c5", "W", "ok,ok,ok"},
		"a write that fails outdates lists":                         {"b0 x2 a5", "WW", "ok,failed,ok"},
		"a list that begins during a write is outdated":             {"w0 b0.5 a5", "WW", "ok,ok,ok"},
		"a read that is cancelled brings no outdated list back":     {"b0 w2 a3.2-3.5 a5", "WW", "ok,ok,left,ok"},
		"a fresh read does not join a list under way":               {"a0 f0.5", "WW", "ok,ok"},
		"fresh reads that wait share the next list":                 {"f0 f0.4 n0.6 l0.8", "WW", "ok,ok,ok,ok"},
		"a list that failed serves the reads of all services":       {"a0 b5", "F", "failed,failed"},
		"a list that failed serves a service once":                  {"a0 a5", "FW", "failed,ok"},
		"a list that failed is outdated by a write":                 {"b0 w2 a5", "FW", "failed,ok,ok"},
		"a list that failed serves fresh reads":                     {"f0 f5 l6", "F", "failed,failed,failed"},
		"a list that failed serves nobody after another one":        {"a0 a5 f7 b12", "FWW", "failed,ok,ok,ok"},
		"a list under way has not failed":                           {"f0 f0.5", "WF", "ok,failed"},
		"a read that is cancelled takes nothing from others":        {"a0-0.5 b0.2", "W", "left,ok"},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.SetService(testOrganization, mockplatform.Document{"id": serviceID(0)})
			for _, letter := range test.lists {
				list := slow(time.Second, responses[letter])
				list.Method = http.MethodGet
				f.Inject(list)
			}
			f.Always(fault{Method: http.MethodPatch, After: true, Delay: time.Second})
			events := strings.Fields(test.events)
			got := make([]string, len(events))
			crowd(len(events), len(events), func(i int) {
				var begins, lasts float64
				if n, _ := fmt.Sscanf(events[i][1:]+" ", "%g-%g", &begins, &lasts); n < 2 {
					lasts = 1000
				}
				time.Sleep(time.Duration(begins * float64(time.Second)))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration((lasts-begins)*float64(time.Second)))
				defer cancel()
				found, err := reading(func(read Read) error { return happen(ctx, c, events[i][0], read) })
				got[i] = strings.Replace(outcome(err), "not found", "gone", 1)
				switch {
				case errors.Is(err, context.DeadlineExceeded):
					got[i] = "left"
				case err == nil && found == nil:
					got[i] = "nothing"
				}
			})
			c.Transport.CloseIdleConnections()
			synctest.Wait()
			if got := strings.Join(got, ","); got != test.want || f.Sent("GET") != len(test.lists) || f.Open() != 0 {
				t.Errorf("%s: %s after %d lists; %d connections", rule, got, f.Sent("GET"), f.Open())
			}
		})
	}
}

// happen is an event of TestWhichListServesARead.
func happen(ctx context.Context, c *Client, what byte, read Read) error {
	switch what {
	case 'A':
		return c.GetService(ctx, testOrganization, strings.ToUpper(serviceID(0)), read)
	case 'f':
		return c.GetFreshService(ctx, testOrganization, serviceID(0), read)
	case 'n':
		return c.FindServices(ctx, testOrganization, "a", read)
	case 'l':
		return c.ListServices(ctx, testOrganization, nil, read)
	case 't':
		return c.ListServices(ctx, testOrganization, []string{"a=1"}, read)
	case 'o':
		return c.ListServices(ctx, mockplatform.OtherOrganizationID, nil, read)
	case 'w', 'x':
		replicas := map[byte]int{'w': 3, 'x': 0}[what]
		return updateScaling(ctx, c, serviceID(0), map[string]any{"numReplicas": replicas}, read)
	default:
		return c.GetService(ctx, testOrganization, serviceID(int(what-'a')), read)
	}
}

// An unusable field fails only the reads of its own service. Of a service that is listed
// twice, the first counts. A name is equal in any normal form, and one that a list omits is
// looked for in another.
func TestUnusableAndRepeatedServicesInAList(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		unusable, repeated := `{"id":"`+testPipe+`","numReplicas":"many"}`, `{"id":"`+testService+`","name":"b"}`
		f.Always(respond(200, `{"result":[{"id":"`+testService+`","name":"cafe\u0301"},`+unusable+`,`+repeated+`]}`))
		if service, err := do(t.Context(), c, "service"); err != nil || *service.Name != "cafe\u0301" {
			t.Errorf("%+v, %v", service, err)
		}
		err := c.GetService(t.Context(), testOrganization, testPipe, new(object).read)
		if _, ofList := do(t.Context(), c, "list"); err == nil || AsError(err).NotFound || ofList == nil {
			t.Errorf("an unusable service was read: %v, %v", err, ofList)
		}
		for name, lists := range map[string]int{"caf\u00e9": 1, "b": 2} {
			before := f.Sent("GET")
			found, err := reading(func(read Read) error { return c.FindServices(t.Context(), testOrganization, name, read) })
			if err != nil || (found != nil) != (lists == 1) || f.Sent("GET")-before != lists {
				t.Errorf("%s: %v after %d lists, %v", name, found, f.Sent("GET")-before, err)
			}
		}
	})
}

// A list proves that a service does not exist only if it is whole and new, by all that it says of itself.
func TestWhichListsProveAnAbsence(t *testing.T) {
	t.Parallel()
	const incomplete = "cannot be used: the list may be incomplete: the response has "
	for _, test := range []struct {
		status        int
		members, more string // of the envelope, and a header
		says          string // "" if the service is gone
	}{
		{200, `"next":null,"cursor":"","hasMore":false,"total":0,"links":{},"pages":[]`, `Link: </v1?rel=next>; rel="last"; title="next"`, ""},
		{200, `"requestId":"` + requestID + `"`, "Age: 10", ""},
		{200, `"next":"/v1?page=2"`, "", incomplete + `the member "next", which`},
		{200, `"pagination":{"nextCursors":["c"]}`, "", incomplete + `the member "pagination", which`},
		{200, `"totalCount":2`, "", incomplete + `the member "totalCount", which`},
		{200, `"x":false`, `Link: <https://a.example/v1?page=1>; rel="prev", </v1?page=3>; rel="last next"`, incomplete + "a link to a next page"},
		{202, `"x":0`, "", incomplete + "HTTP status 202"},
		{200, `"status":206,"requestId":"` + requestID + `"`, "", incomplete + "HTTP status 206"},
		{206, `"x":0`, "Content-Range: items 0-0/2", "HTTP 206 Partial Content, a part of a response."},
		{200, `"x":0`, "Age: 3600", "A cache or gateway seems to have answered instead of the API: HTTP 200 OK, a response that is 3600 s old."},
		{200, `"status":500,"error":"index down"`, "", "HTTP 200 with the status 500 Internal Server Error in the body: index down."},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.Always(respond(test.status, `{"result":[],`+test.members+`}`, test.more))
			_, err := do(t.Context(), c, "service")
			if AsError(err).NotFound != (test.says == "") || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("%s, %s: %v", test.members, test.more, err)
			}
		}, func(c *Config) { c.RetryTimeout = 0 })
	}
}
