package provider

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
)

// server is the framework's server, except for adopted objects, which their engines handle. The
// other resources have no private state. What Terraform sends as such is not passed on, since the
// framework would report damage in it as a bug of the provider.
type server struct {
	frameworkServer
	provider *dataplatformProvider
	// beforeWrite is called before each call that may change something on the platform.
	beforeWrite func()
	engines     map[string]*adopt.Engine
	schemas     func() *tfprotov6.GetProviderSchemaResponse
}

// frameworkServer includes the methods of list resources, which a plain
// tfprotov6.ProviderServer would hide from plugin-go.
type frameworkServer interface {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
}

// NewServer returns a constructor of the provider's server. The server calls beforeWrite before
// each call that may change something on the platform.
func NewServer(version string, beforeWrite func()) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		s := serverOf(newProvider(version))
		s.beforeWrite = beforeWrite
		return s
	}
}

func serverOf(p *dataplatformProvider) server {
	framework := providerserver.NewProtocol6(p)().(frameworkServer)
	return server{
		frameworkServer: framework,

		provider:    p,
		beforeWrite: func() {},
		schemas: sync.OnceValue(func() *tfprotov6.GetProviderSchemaResponse {
			schemas, err := framework.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
			if err != nil {
				return &tfprotov6.GetProviderSchemaResponse{} // Terraform got the same error
			}
			return schemas
		}),
		engines: map[string]*adopt.Engine{
			"dataplatform_pipe":            pipe,
			"dataplatform_service_scaling": serviceScaling,
		},
	}
}

// GetProviderSchema implements tfprotov6.ProviderServer. The framework implements
// GenerateResourceConfig, and omits it from the capabilities of protocol 6.
func (s server) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	resp, err := s.frameworkServer.GetProviderSchema(ctx, req)
	if err == nil {
		resp.ServerCapabilities.GenerateResourceConfig = true
	}
	return resp, err
}

// ReadResource implements tfprotov6.ProviderServer.
func (s server) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if engine, ok := s.engines[req.TypeName]; ok {
		return engine.ReadResource(ctx, s.provider.connection, req)
	}
	req.Private = nil
	return s.frameworkServer.ReadResource(ctx, req)
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (s server) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if engine, ok := s.engines[req.TypeName]; ok {
		return engine.PlanResourceChange(ctx, s.provider.connection, req)
	}
	req.PriorPrivate = nil
	return s.frameworkServer.PlanResourceChange(ctx, req)
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (s server) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	s.beforeWrite()
	if engine, ok := s.engines[req.TypeName]; ok {
		return engine.ApplyResourceChange(ctx, s.provider.connection, req)
	}
	return s.frameworkServer.ApplyResourceChange(ctx, req)
}

// GenerateResourceConfig implements tfprotov6.ProviderServer.
func (s server) GenerateResourceConfig(ctx context.Context, req *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	if engine, ok := s.engines[req.TypeName]; ok {
		return engine.GenerateResourceConfig(s.provider.connection, req)
	}
	return s.frameworkServer.GenerateResourceConfig(ctx, req)
}
