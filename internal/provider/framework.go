package provider

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// frameworkServer includes the methods of list resources, which a plain
// tfprotov6.ProviderServer would hide from plugin-go.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// callContext delegates to the call's context until the call returns, then to a cancelled one, so that the
// framework retains nothing: it keeps the context of each call until the provider ends.
type callContext struct {
	atomic.Pointer[context.Context]
}

func (c *callContext) Deadline() (time.Time, bool) { return (*c.Load()).Deadline() }
func (c *callContext) Done() <-chan struct{}       { return (*c.Load()).Done() }
func (c *callContext) Err() error                  { return (*c.Load()).Err() }
func (c *callContext) Value(key any) any           { return (*c.Load()).Value(key) }

var ended, _ = context.WithDeadline(context.Background(), time.Time{})

// letGo makes a call of the framework for an object. The calls without one are few.
func letGo[Request, Response any](ctx context.Context, req Request, call func(context.Context, Request) (Response, error)) (Response, error) {
	ofCall, cancel := context.WithCancel(ctx)
	var c callContext
	c.Store(&ofCall)
	defer func() {
		c.Store(&ended)
		cancel()
	}()
	return call(&c, req)
}

func (s server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return letGo(ctx, req, s.frameworkServer.ReadDataSource)
}

func (s server) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return letGo(ctx, req, s.frameworkServer.OpenEphemeralResource)
}

func (s server) CloseEphemeralResource(ctx context.Context, req *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return letGo(ctx, req, s.frameworkServer.CloseEphemeralResource)
}
