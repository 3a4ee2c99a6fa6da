package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// The framework registers a cancel function for each call and retains it until the
// provider stops (fwserver.Server.registerContext), and with it the call's context:
// 8 kB of loggers, 45 MB over a thousand pipes. The calls that Terraform makes for
// each object therefore get a context that drops the call's own when the call
// returns. Remove this file when the framework drops those functions itself.

// callContext delegates to the call's context until the call returns, then to
// a cancelled one, so that the framework retains nothing. Done then
// returns another channel; waiters on the first one still wake up, since the
// call's own context ends with the call.
type callContext struct {
	delegate atomic.Pointer[context.Context]
}

var cancelled = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// release makes one call with a context that is released afterwards.
func release[Request, Response any](ctx context.Context, req Request, call func(context.Context, Request) (Response, error)) (Response, error) {
	c := &callContext{}
	c.delegate.Store(&ctx)
	defer c.delegate.Store(&cancelled)
	return call(c, req)
}

func (c *callContext) current() context.Context { return *c.delegate.Load() }

// Deadline implements context.Context.
func (c *callContext) Deadline() (time.Time, bool) { return c.current().Deadline() }

// Done implements context.Context.
func (c *callContext) Done() <-chan struct{} { return c.current().Done() }

// Err implements context.Context.
func (c *callContext) Err() error { return c.current().Err() }

// Value implements context.Context.
func (c *callContext) Value(key any) any { return c.current().Value(key) }

// UpgradeResourceState implements tfprotov6.ProviderServer.
func (s server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return release(ctx, req, s.frameworkServer.UpgradeResourceState)
}

// UpgradeResourceIdentity implements tfprotov6.ProviderServer.
func (s server) UpgradeResourceIdentity(ctx context.Context, req *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return release(ctx, req, s.frameworkServer.UpgradeResourceIdentity)
}

// ImportResourceState implements tfprotov6.ProviderServer.
func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return release(ctx, req, s.frameworkServer.ImportResourceState)
}

// MoveResourceState implements tfprotov6.ProviderServer.
func (s server) MoveResourceState(ctx context.Context, req *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return release(ctx, req, s.frameworkServer.MoveResourceState)
}

// ReadDataSource implements tfprotov6.ProviderServer.
func (s server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return release(ctx, req, s.frameworkServer.ReadDataSource)
}
