// Command baseline is a provider that the benchmarks compare with: the least that any
// provider with the schema of the real one can take. It speaks the raw protocol and
// passes on what Terraform sends, without decoding it. It reads, validates and
// plans nothing and sends no request, but waits where the real one waits for a response:
// once for all services, and once for each read and each update of a pipe.
package main

import (
	"bytes"
	"context"
	"log"
	"os"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/process"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

func main() {
	if err := process.SetLogLevels("dataplatform"); err != nil {
		log.Fatal(err)
	}
	latency, _ = time.ParseDuration(os.Getenv("BENCH_LATENCY"))
	newServer := provider.NewServer("baseline", func() (end func()) { return func() {} })
	err := tf6server.Serve("registry.terraform.io/dataplatform/dataplatform", func() tfprotov6.ProviderServer {
		return baseline{newServer(), sync.OnceFunc(func() { time.Sleep(latency) })}
	}, tf6server.WithGoPluginLogger(process.PluginLogger()))
	if err != nil {
		log.Fatal(err)
	}
}

// latency is that of the platform which baseline does not ask.
var latency time.Duration

// baseline answers everything itself, except for the schemas, which the real server answers.
type baseline struct {
	tfprotov6.ProviderServer
	list func() // waits once
}

// ValidateProviderConfig implements tfprotov6.ProviderServer.
func (baseline) ValidateProviderConfig(_ context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: req.Config}, nil
}

// ConfigureProvider implements tfprotov6.ProviderServer.
func (baseline) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (baseline) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

// UpgradeResourceState implements tfprotov6.ProviderServer.
func (baseline) UpgradeResourceState(_ context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: &tfprotov6.DynamicValue{JSON: req.RawState.JSON}}, nil
}

// ReadResource implements tfprotov6.ProviderServer.
func (b baseline) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if req.TypeName == "dataplatform_pipe" {
		time.Sleep(latency)
	} else {
		b.list()
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: req.CurrentIdentity, Private: req.Private}, nil
}

// PlanResourceChange implements tfprotov6.ProviderServer. It plans the one number that the benchmarks change, a byte
// of what Terraform sends. Terraform's own proposal would not do: it removes the objects of which the configuration
// sets nothing.
func (baseline) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	planned := req.PriorState
	const name, null = "engine_max_threads", 0xc0
	config, prior := bytes.Index(req.Config.MsgPack, []byte(name))+len(name), bytes.Index(planned.MsgPack, []byte(name))+len(name)
	if config >= len(name) && prior >= len(name) && req.Config.MsgPack[config] != null {
		planned = &tfprotov6.DynamicValue{MsgPack: bytes.Clone(planned.MsgPack)}
		planned.MsgPack[prior] = req.Config.MsgPack[config]
	}
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: planned, PlannedIdentity: req.PriorIdentity, PlannedPrivate: req.PriorPrivate}, nil
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (baseline) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	time.Sleep(latency)
	return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, NewIdentity: req.PlannedIdentity, Private: req.PlannedPrivate}, nil
}
