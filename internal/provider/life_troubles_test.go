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
	writes := []mockplatform.Operation{mockplatform.UpdatePipe, mockplatform.UpdatePipe, mockplatform.UpdateScaling, mockplatform.CreateKey}
	fault := mockplatform.Fault{Operation: writes[l.IntN(4)], Skip: l.IntN(2)}
	if r := l.key.result; r != nil && r.action != "none" && l.one(2) {
		fault.Operation, fault.Skip = mockplatform.CreateKey, 0
	}
	if r := l.postgres().result; r != nil && slices.Contains(r.changed(), tableMappingsPath.String()) && l.one(3) {
		l.trouble = "excluded"
	}
	switch l.trouble {
	case "":
		return
	case "rejected":
		fault.Status = http.StatusBadRequest
	case "excluded":
		l.excludes.Store(true)
		fault = mockplatform.Fault{Operation: mockplatform.UpdatePipe, Path: mockplatform.PostgresPipeID, Skip: l.IntN(2), Status: http.StatusBadGateway}
	case "lost":
		if fault.After = l.one(2); l.one(4) {
			fault.Reset = true
		} else {
			fault.Status = []int{http.StatusBadGateway, http.StatusFound, http.StatusNotImplemented}[l.IntN(3)]
		}
	case "interrupted":
		// Once it is carried out, and before its response, for which a key is waited for.
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
	l.excludes.Store(false)
	l.excluded.Store(false)
	if l.trouble, l.moved = "", false; l.hidden != "" {
		l.hidden = ""
		l.Configure(func(b *mockplatform.Behaviour) {
			b.Responses.Sparse = slices.DeleteFunc(b.Responses.Sparse, func(s mockplatform.Sparse) bool { return s.Times == 1 })
		})
	}
}

// excludeLate excludes a column of all mappings after a request that failed. One that has
// excluded it before is in the plan.
func (l *life) excludeLate(r mockplatform.Request) {
	if r.Operation != mockplatform.UpdatePipe || r.Status == http.StatusOK || !l.excludes.CompareAndSwap(true, false) {
		return
	}
	l.UpdatePipe(mockplatform.PostgresPipeID, func(doc mockplatform.Document) {
		l.mapped = slices.DeleteFunc(heldIn(doc), func(mapping object) bool { return slices.Contains(columnsOf(mapping, "excluded_columns"), "late") })
		for _, mapping := range member(doc, tableMappings).([]any) {
			if columns := member(mapping, "excludedColumns").([]any); !slices.Contains(columns, any("late")) {
				setMember(mapping.(object), "excludedColumns", append(columns, "late"))
			}
		}
	})
	l.excluded.Store(true)
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

// all does things at the same time, or one after the other in some order. Between them,
// whatever goes on in the background comes to its end.
func (l *life) all(things []func()) {
	if l.inTurn != nil {
		for _, i := range l.inTurn.Perm(len(things)) {
			things[i]()
			synctest.Wait()
		}
		return
	}
	var wait sync.WaitGroup
	for _, do := range things {
		wait.Go(do)
	}
	wait.Wait()
}

// apply carries the plans out. Services are read beside that, and once more after the apply
// of each one.
func (l *life) apply() {
	p := interruptible{l.process(l.trouble == "outage"), l.ctx}
	reads := l.one(3)
	things := []func(){func() {
		if l.begins(l.key.result) {
			l.key.block.Apply(p, l.key.result.change)
			l.key.tell(l.key.result, l.key.block.State)
		}
	}}
	for _, b := range l.blocks {
		things = append(things, func() {
			if l.begins(b.result) {
				b.apply(p)
			}
			if reads && !b.isPipe() {
				l.readServices(p.server)
			}
		})
	}
	if reads {
		things = append(things, func() { l.readServices(p.server) })
	}
	l.all(things)
}

// begins reports whether an apply begins: in turn, Terraform begins none after an interrupt.
func (l *life) begins(r *result) bool {
	if l.inTurn != nil && l.ctx.Err() != nil {
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
