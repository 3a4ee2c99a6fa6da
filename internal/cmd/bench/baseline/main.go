// Command baseline is a provider that the benchmarks compare with. It has the
// schema of the real one and sends the same requests, and does nothing else: it
// ignores every response, plans what the configuration sets over what is in
// state, and stores what was planned.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/process"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

func main() {
	if err := process.SetLogLevels("dataplatform"); err != nil {
		log.Fatal(err)
	}
	newServer := provider.NewServer("baseline", process.IgnoreTermination)
	err := tf6server.Serve("registry.terraform.io/dataplatform/dataplatform", func() tfprotov6.ProviderServer {
		b := baseline{ProviderServer: newServer(), types: map[string]tftypes.Type{}}
		schemas, err := b.GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			log.Fatal(err)
		}
		for name, schema := range schemas.ResourceSchemas {
			b.types[name] = schema.ValueType()
		}
		organization := "/v1/organizations/" + os.Getenv("DATAPLATFORM_ORGANIZATION_ID")
		b.services = organization + "/services"
		b.list = sync.OnceValue(func() error { return request(http.MethodGet, b.services, "") })
		return b
	}, tf6server.WithGoPluginLogger(process.PluginLogger()))
	if err != nil {
		log.Fatal(err)
	}
}

// baseline leaves the schema and the upgrade of states to the real server.
type baseline struct {
	tfprotov6.ProviderServer
	types    map[string]tftypes.Type
	services string       // the path of the list
	list     func() error // reads the list once
}

func request(method, path, body string) error {
	req, err := http.NewRequestWithContext(context.Background(), method, os.Getenv("DATAPLATFORM_BASE_URL")+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.SetBasicAuth(os.Getenv("DATAPLATFORM_KEY_ID"), os.Getenv("DATAPLATFORM_KEY_SECRET"))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	_, err = io.Copy(io.Discard, resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return err
}

// member returns the value at a path of attributes.
func member(object tftypes.Value, names ...string) tftypes.Value {
	for _, name := range names {
		var members map[string]tftypes.Value
		if err := object.As(&members); err != nil {
			return tftypes.Value{}
		}
		object = members[name]
	}
	return object
}

func text(object tftypes.Value, name string) (out string) {
	_ = member(object, name).As(&out)
	return out
}

func number(object tftypes.Value, names ...string) string {
	var out big.Float
	_ = member(object, names...).As(&out)
	return out.Text('f', 0)
}

// read sends what a read of the object takes.
func (b baseline) read(object tftypes.Value) error {
	if pipe := text(object, "pipe_id"); pipe != "" {
		return request(http.MethodGet, b.services+"/"+text(object, "service_id")+"/pipes/"+pipe, "")
	}
	return b.list()
}

// write sends what an update of the object takes.
func (b baseline) write(object tftypes.Value) error {
	path := b.services + "/" + text(object, "service_id")
	if pipe := text(object, "pipe_id"); pipe != "" {
		return request(http.MethodPatch, path+"/pipes/"+pipe,
			fmt.Sprintf(`{"settings":{"engine_max_threads":%s}}`, number(object, "settings", "engine_max_threads")))
	}
	return request(http.MethodPatch, path+"/scaling", fmt.Sprintf(`{"numReplicas":%s}`, number(object, "num_replicas")))
}

// over is the configuration, and what is in state where it sets nothing.
func over(config, state tftypes.Value) tftypes.Value {
	if config.IsNull() {
		return state
	}
	var above, below map[string]tftypes.Value
	if state.IsNull() || !config.Type().Is(tftypes.Object{}) || config.As(&above) != nil || state.As(&below) != nil {
		return config
	}
	for name, value := range above {
		below[name] = over(value, below[name])
	}
	return tftypes.NewValue(config.Type(), below)
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

// ReadResource implements tfprotov6.ProviderServer.
func (b baseline) ReadResource(_ context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	state, err := req.CurrentState.Unmarshal(b.types[req.TypeName])
	if err == nil {
		err = b.read(state)
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, NewIdentity: req.CurrentIdentity, Private: req.Private}, err
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (b baseline) PlanResourceChange(_ context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	config, err := req.Config.Unmarshal(b.types[req.TypeName])
	if err != nil {
		return nil, err
	}
	state, err := req.PriorState.Unmarshal(b.types[req.TypeName])
	if err != nil {
		return nil, err
	}
	plan, err := tfprotov6.NewDynamicValue(config.Type(), over(config, state))
	return &tfprotov6.PlanResourceChangeResponse{PlannedState: &plan, PlannedIdentity: req.PriorIdentity, PlannedPrivate: req.PriorPrivate}, err
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (b baseline) ApplyResourceChange(_ context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	plan, err := req.PlannedState.Unmarshal(b.types[req.TypeName])
	if err == nil {
		err = b.read(plan)
	}
	if err == nil {
		err = b.write(plan)
	}
	return &tfprotov6.ApplyResourceChangeResponse{NewState: req.PlannedState, NewIdentity: req.PlannedIdentity, Private: req.PlannedPrivate}, err
}
