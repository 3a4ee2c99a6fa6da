package platform

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

// readPipe is the operation that most tests use.
func readPipe(ctx context.Context, c *Client) error {
	_, err := c.GetPipe(ctx, testOrganization, testService, testPipe)
	return err
}

// What is left of an update after an ambiguous fault is what the caller says.
func TestReconcileAfterAnAmbiguousFault(t *testing.T) {
	t.Parallel()
	name := "n"
	tests := map[string]struct {
		faults []fault
		more   *PipeUpdate
		err    error
		bodies []string // of the retries
		want   string
	}{
		"nothing left to do": {[]fault{reset}, nil, nil, nil, ""},
		// It no longer adds a table mapping, and is retried by its own rule.
		"something left": {[]fault{reset, reset, reset}, &PipeUpdate{Name: &name}, nil, []string{`{"name":"n"}`, `{"name":"n"}`, `{"name":"n"}`}, ""},
		"failing": {[]fault{reset}, nil, errors.New("the mapping must set excluded_columns"), nil,
			": EOF.\n\nNothing more was sent: the mapping must set excluded_columns.\n\nIt is not known whether the change was applied. The next apply sends only what is still missing.\n\nCheck base_url, and HTTPS_PROXY if it is set."},
	}
	for testName, test := range tests {
		t.Run(testName, func(t *testing.T) {
			t.Parallel()
			bubble(t, func(t *testing.T, f *fake, c *Client) {
				f.inject(test.faults...)
				reconciliations := 0
				got, err := c.UpdatePipe(t.Context(), testOrganization, testService, testPipe, mappings, func(context.Context) (*PipeUpdate, error) {
					reconciliations++
					return test.more, test.err
				})
				if (got != nil) != (test.more != nil) || reconciliations != 1 || fmt.Sprint(f.bodies()[1:]) != fmt.Sprint(test.bodies) {
					t.Error(got, reconciliations, f.bodies())
				}
				e := new(Error)
				if test.want == "" && err != nil || test.want != "" && (!errors.As(err, &e) || !strings.HasSuffix(e.Detail(), test.want)) {
					t.Error(err)
				}
			})
		})
	}
}

// reconcile reads again: it does not join a read from before the fault.
func TestReconcileReadsAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.inject(slow(2*time.Second, reset), slow(20*time.Second, good))
		var work sync.WaitGroup
		work.Go(func() { _, _ = operations()["reconcile"].call(t.Context(), c) })
		time.Sleep(time.Second)
		_ = readPipe(t.Context(), c) // under way when the PATCH fails
		work.Wait()
		if n := f.count("GET"); n != 2 {
			t.Errorf("%d reads, want 2", n)
		}
	})
}
