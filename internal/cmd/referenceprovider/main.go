// Command referenceprovider is what the benchmarks compare with: a provider with
// the schema and the process settings of the real one, which does nothing. It
// sends no request, reads what is in state and plans what Terraform proposes.
// What it costs is what any provider with this schema costs.
package main

import (
	"context"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/process"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

func main() {
	process.TuneMemory()
	if err := process.SetLogLevels("dataplatform"); err != nil {
		log.Fatal(err)
	}
	newServer := provider.NewServer("reference", func() {})
	err := tf6server.Serve("registry.terraform.io/dataplatform/dataplatform",
		func() tfprotov6.ProviderServer {
			return reference{newServer(), os.Getenv("REFERENCE_KEEPS_STATE") != ""}
		},
		tf6server.WithGoPluginLogger(process.PluginLogger()))
	if err != nil {
		log.Fatal(err)
	}
}

// reference leaves the schema and the upgrade of states to the real server and
// answers everything else by itself.
type reference struct {
	tfprotov6.ProviderServer
	// keepsState plans what is in state. Terraform proposes null for a computed
	// object with required members, so that its proposal always differs from the
	// state of a pipe.
	keepsState bool
}

// ValidateProviderConfig implements tfprotov6.ProviderServer.
func (reference) ValidateProviderConfig(_ context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

// ConfigureProvider implements tfprotov6.ProviderServer.
func (reference) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (reference) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

// ReadResource implements tfprotov6.ProviderServer.
func (reference) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: req.CurrentIdentity, Private: req.Private}, nil
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (r reference) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: req.ProposedNewState, PlannedIdentity: req.PriorIdentity, PlannedPrivate: req.PriorPrivate,
	}
	if r.keepsState {
		resp.PlannedState = req.PriorState
	}
	return resp, nil
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (reference) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, NewIdentity: req.PlannedIdentity, Private: req.PlannedPrivate}, nil
}

// ValidateDataResourceConfig implements tfprotov6.ProviderServer.
func (reference) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

// ReadDataSource implements tfprotov6.ProviderServer: what is computed is null.
func (reference) ReadDataSource(_ context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return &tfprotov6.ReadDataSourceResponse{State: req.Config}, nil
}
