package provider

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// frameworkServer includes the methods of list resources, which a plain
// tfprotov6.ProviderServer would hide from plugin-go.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// server is the framework's server, except for adopted objects, which their engines handle.
type server struct {
	frameworkServer
	provider   *dataplatformProvider
	beginWrite func() (end func())
	stopped    *atomic.Bool                                // by an interrupt
	schemas    func() *tfprotov6.GetProviderSchemaResponse // what the framework serves
}

// engines are those of the adopted kinds, by type.
var engines = map[string]*adopt.Engine{
	"dataplatform_pipe":            pipe,
	"dataplatform_service_scaling": serviceScaling,
}

// NewServer returns a constructor of the provider's server. The server calls beginWrite before
// each call that may change something on the platform, and end after it.
func NewServer(version string, beginWrite func() (end func())) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		s := serverOf(newProvider(version))
		s.beginWrite = beginWrite
		return s
	}
}

func serverOf(p *dataplatformProvider) server {
	served := providerserver.NewProtocol6(p)().(frameworkServer)
	return server{
		frameworkServer: served,
		provider:        p,
		beginWrite:      func() (end func()) { return func() {} },
		stopped:         new(atomic.Bool),
		schemas: sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
			all, _ := served.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{}) // never fails
			return all
		}),
	}
}

// GetProviderSchema adds a capability: the framework implements GenerateResourceConfig, and omits it
// from the capabilities of protocol 6.
func (s server) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := s.frameworkServer.GetProviderSchema(ctx, req)
	if err == nil {
		resp.ServerCapabilities.GenerateResourceConfig = true
	}
	return resp, err
}

// UpgradeResourceState returns a current state as it is. Terraform calls it for each object of the
// state before it reads the object, although hardly any state needs an upgrade.
func (s server) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	if engine, ok := engines[req.TypeName]; ok && engine.IsCurrent(req) {
		return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: req.RawState.JSON}}, nil
	}
	return letGo(ctx, req, s.frameworkServer.UpgradeResourceState)
}

func (s server) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	if engine, ok := engines[req.TypeName]; ok {
		return engine.ImportResourceState(s.provider.connection, req)
	}
	return letGo(ctx, req, s.frameworkServer.ImportResourceState)
}

func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if engine, ok := engines[req.TypeName]; ok {
		return engine.ReadResource(ctx, s.provider.connection, req)
	}
	return letGo(ctx, req, s.frameworkServer.ReadResource)
}

func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if engine, ok := engines[req.TypeName]; ok {
		return engine.PlanResourceChange(ctx, s.provider.connection, req)
	}
	return letGo(ctx, req, s.frameworkServer.PlanResourceChange)
}

func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	defer s.beginWrite()()
	ctx, end := s.ofTerraform(ctx)
	defer end()
	if engine, ok := engines[req.TypeName]; ok {
		return engine.ApplyResourceChange(ctx, s.provider.connection, req)
	}
	return letGo(ctx, req, s.frameworkServer.ApplyResourceChange)
}

// StopProvider is Terraform's answer to an interrupt.
func (s server) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.stopped.Store(true)
	return s.frameworkServer.StopProvider(ctx, req)
}

// ofTerraform returns a context that also says whether it ends because Terraform itself has ended, which cancels the calls in
// flight as an interrupt does: nobody waits for a response that is under way, so it need not be cut off.
func (s server) ofTerraform(ctx context.Context) (ofCall context.Context, end func()) {
	ofCall, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		if s.stopped.Load() {
			cancel(context.Cause(ctx))
		} else {
			cancel(platform.ErrAbandoned)
		}
	})
	return ofCall, func() {
		unhook()
		cancel(nil)
	}
}

func (s server) GenerateResourceConfig(ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	if engine, ok := engines[req.TypeName]; ok {
		return engine.GenerateResourceConfig(s.provider.connection, req)
	}
	return letGo(ctx, req, s.frameworkServer.GenerateResourceConfig)
}

func (s server) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return letGo(ctx, req, s.frameworkServer.ReadDataSource)
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
