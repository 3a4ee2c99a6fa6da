package provider

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/terraformtest"
)

// What goes wrong in a life, and what happens while an apply is under way.

// begin begins the trouble of a step.
func (l *life) begin() {
	l.ctx, l.cancel = context.WithCancel(l.t.Context())
	writes := []mockplatform.Operation{mockplatform.UpdatePipe, mockplatform.UpdatePipe, mockplatform.UpdateScaling}
	fault := mockplatform.Fault{Operation: writes[l.IntN(len(writes))], Skip: l.IntN(2)}
	switch l.trouble {
	case "":
		return
	case "rejected":
		fault.Status = http.StatusBadRequest
	case "lost":
		if fault.After = l.one(2); l.one(4) {
			fault.Reset = true
		} else {
			fault.Status = []int{http.StatusBadGateway, http.StatusFound, http.StatusNotImplemented}[l.IntN(3)]
		}
	case "interrupted":
		// Once it is carried out, and before its response.
		cancel := l.cancel
		fault.After, fault.Delay = true, 20*time.Millisecond
		fault.Edit = func(mockplatform.Document) { cancel() }
	case "outage":
		fault = mockplatform.Fault{Status: http.StatusServiceUnavailable, Times: mockplatform.Always, Skip: l.IntN(8)}
	case "flaky":
		fault = mockplatform.Fault{Status: []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[l.IntN(2)], Method: http.MethodGet, Skip: l.IntN(4)}
	}
	l.Inject(fault)
	l.note("%s: %s %s, status %d, after %t, skip %d", l.trouble, fault.Operation, fault.Method, fault.Status, fault.After, fault.Skip)
}

// calm ends the trouble.
func (l *life) calm() {
	l.ClearFaults()
	l.cancel()
	if l.trouble == "interrupted" {
		time.Sleep(50 * time.Millisecond) // what was sent may arrive later
	}
	if l.trouble, l.moved = "", false; l.hidden != "" {
		l.hidden = ""
		l.Configure(func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = slices.DeleteFunc(b.Responses.Sparse, func(s mockplatform.Sparse) bool { return s.Times == 1 })
		})
	}
}

// interruptible is a provider whose applies an interrupt cancels.
type interruptible struct {
	server
	ctx context.Context
}

// ApplyResourceChange implements terraformtest.Provider.
func (p interruptible) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return p.server.ApplyResourceChange(p.ctx, req)
}

// all does things in some order, or together. In order, whatever goes on in the background
// comes to its end between them.
func (l *life) all(things []func()) {
	if l.together {
		var done sync.WaitGroup
		for _, thing := range things {
			done.Go(thing)
		}
		done.Wait()
		return
	}
	for _, i := range l.order.Perm(len(things)) {
		things[i]()
		synctest.Wait()
	}
}

// apply carries the plans out.
func (l *life) apply() {
	p := interruptible{l.process(l.trouble == "outage"), l.ctx}
	var things []func()
	for _, b := range l.blocks {
		things = append(things, func() {
			if l.begins(b.result) {
				b.apply(p)
			}
		})
	}
	l.all(things)
}

// begins reports whether an apply begins: Terraform begins none after an interrupt.
func (l *life) begins(r *result) bool {
	if l.ctx.Err() != nil {
		r.errors = append(r.errors, "interrupted")
	}
	return len(r.errors) == 0
}

func (b *lived) apply(p terraformtest.Provider) {
	if b.known = true; !b.absent {
		b.write(false)
	}
	b.block.Apply(p, b.result.change)
	b.tell(b.result, b.block.State)
}
