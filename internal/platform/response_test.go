package platform

import (
	"strings"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// A response about another object is none. IDs are equal in any letter case, and an
// object without one is accepted.
func TestResponseAboutAnotherObject(t *testing.T) {
	t.Parallel()
	for returned, want := range map[string]string{
		`{"id":"` + testService + `"}`:               "it is about another object: the request was for ID " + testPipe + ", and the response has ID " + testService,
		`{"id":"` + strings.ToUpper(testPipe) + `"}`: "",
		`{"id":null}`:  "",
		`{"name":"x"}`: "",
	} {
		r := &rest.Response{Status: 200, Body: []byte(`{"result":` + returned + `}`), Mask: unmasked}
		err := (&api{member: "result"}).accept(testPipe, new(object).read)(r)
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v", returned, err)
		}
	}
}
