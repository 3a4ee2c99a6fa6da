package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The framework keeps a way to cancel each call until the provider stops, and
// with it the call's context: loggers with all their fields, 8 kB a call. Over
// a thousand pipes that came to 45 MB, which the garbage collector walked
// through again and again. So what is asked once for each object goes to the
// framework in a context that lets go of the call when it has been answered.

// callContext is the context of a call until the call is answered, and one
// that is canceled from then on. Done is another channel then; whoever waits on
// the one before is woken all the same, since the call's own context ends with
// the call.
type callContext struct {
	held atomic.Pointer[context.Context]
}

var over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// answer makes one call.
func answer[Request, Response any](ctx context.Context, req Request, call func(context.Context, Request) (Response, error)) (Response, error) {
	held := &callContext{}
	held.held.Store(&ctx)
	defer held.held.Store(&over)
	return call(held, req)
}

func (c *callContext) current() context.Context { return *c.held.Load() }

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) { return c.current().Deadline() }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.current().Done() }

// Err implements context.Context.
func (c *callContext) Err() error { return c.current().Err() }

// Value implements context.Context.
func (c *callContext) Value(key any) any { return c.current().Value(key) }

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return answer(ctx, req, s.ProviderServer.ValidateResourceConfig)
}

// UpgradeResourceState implements tfprotov6.ProviderServer.
func (s server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer(ctx, req, s.ProviderServer.UpgradeResourceState)
}

// UpgradeResourceIdentity implements tfprotov6.ProviderServer.
func (s server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return answer(ctx, req, s.ProviderServer.UpgradeResourceIdentity)
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return answer(ctx, req, s.ProviderServer.ApplyResourceChange)
}

// ImportResourceState implements tfprotov6.ProviderServer.
func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return answer(ctx, req, s.ProviderServer.ImportResourceState)
}

// MoveResourceState implements tfprotov6.ProviderServer.
func (s server) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return answer(ctx, req, s.ProviderServer.MoveResourceState)
}

// ValidateDataResourceConfig implements tfprotov6.ProviderServer.
func (s server) ValidateDataResourceConfig(ctx context.Context, req *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return answer(ctx, req, s.ProviderServer.ValidateDataResourceConfig)
}

// ReadDataSource implements tfprotov6.ProviderServer.
func (s server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return answer(ctx, req, s.ProviderServer.ReadDataSource)
}
