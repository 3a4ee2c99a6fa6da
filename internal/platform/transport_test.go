package platform

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// What is left of an update after a fault is what the caller says. A body that no
// longer adds a table mapping is retried by its own rule.
func TestAskAfterAFault(t *testing.T) {
	t.Parallel()
	const patch = `{"name":"n"}`
	failure := errors.New("the mapping must set excluded_columns")
	for name, test := range map[string]struct {
		more    *PipePatch
		err     error
		retries []string // their bodies
	}{
		"nothing left to do": {nil, nil, nil},
		"something left":     {&PipePatch{Body: renamed}, nil, []string{patch, patch, patch}},
		"failing":            {&PipePatch{Body: renamed}, failure, nil},
	} {
		bubble(t, func(t *testing.T, f *fake, c *Client) {
			f.InjectEach(reset, reset, reset)
			asked := 0
			got, err := updatePipe(t.Context(), c, PipePatch{Body: mappings, AsOf: time.Now(), Ask: func(context.Context) (*PipePatch, error) {
				asked++
				return test.more, test.err
			}})
			var retries []string
			for _, r := range f.Requests()[1:] {
				retries = append(retries, r.Body)
			}
			if (got != nil) != (test.retries != nil) || asked != 1 || !slices.Equal(retries, test.retries) || (err != nil) != (test.err != nil) || err != nil && !strings.Contains(err.Error(), failure.Error()) {
				t.Errorf("%s: %v, %v, asked %d times, retried with %q", name, got, err, asked, retries)
			}
		})
	}
}

// A question reads again: it does not join a read from before the fault.
func TestQuestionReadsAgain(t *testing.T) {
	t.Parallel()
	bubble(t, func(t *testing.T, f *fake, c *Client) {
		f.InjectEach(slow(2*time.Second, reset), slow(20*time.Second, good))
		var work sync.WaitGroup
		work.Go(func() { _, _ = operations["asked"].call(t.Context(), c) })
		time.Sleep(time.Second)
		_ = readPipe(t.Context(), c) // under way when the PATCH fails
		work.Wait()
		if n := f.Sent("GET"); n != 2 {
			t.Errorf("%d reads, want 2", n)
		}
	})
}
