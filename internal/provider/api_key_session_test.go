package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// session is a workspace in which the real terraform talks to a provider
// inside this process, so that the provider is on the fixture's clock and each
// call that Terraform makes for a key can be recorded.
type session struct {
	*workspace
	keys *recordingServer
}

// session serves the provider until the test ends.
func (f *fixture) session(config string) *session {
	f.t.Helper()
	s := &session{workspace: f.workspace(config), keys: newRecordingServer(f)}
	configs, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	address := "registry.terraform.io/dataplatform/dataplatform"
	if host := os.Getenv("TF_ACC_PROVIDER_HOST"); host != "" {
		address = host + "/dataplatform/dataplatform"
	}
	go func() {
		_ = tf6server.Serve(address, func() tfprotov6.ProviderServer { return s.keys },
			tf6server.WithDebug(ctx, configs, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(f.t))
	}()
	f.t.Cleanup(func() { cancel(); <-closed })
	reattach := <-configs
	text, err := json.Marshal(map[string]any{address: map[string]any{
		"Protocol": reattach.Protocol, "ProtocolVersion": 6, "Pid": reattach.Pid, "Test": true,
		"Addr": map[string]string{"Network": reattach.Addr.Network(), "String": reattach.Addr.String()},
	}})
	if err != nil {
		f.t.Fatal(err)
	}
	s.env = append(s.env, "TF_REATTACH_PROVIDERS="+string(text))
	return s
}

// calls returns the calls made for keys since it was last asked.
func (s *session) calls() []string {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	calls := s.keys.recorded
	s.keys.recorded = nil
	return calls
}

// recordingServer hands each call to a provider. Terraform starts a new process
// for each walk; here a walk begins with a new provider.
type recordingServer struct {
	tfprotov6.ProviderServer
	fresh func() tfprotov6.ProviderServer
	typ   tftypes.Object

	mu       sync.Mutex
	current  tfprotov6.ProviderServer
	recorded []string
}

func newRecordingServer(f *fixture) *recordingServer {
	s := &recordingServer{fresh: f.freshServer, typ: keyObject(f.t)}
	s.current = s.fresh()
	s.ProviderServer = s.fresh()
	return s
}

// freshServer is a provider that is not configured yet, on the fixture's clock.
func (f *fixture) freshServer() tfprotov6.ProviderServer {
	return serverOf(&dataplatformProvider{version: "test", now: f.now})
}

func keyObject(t *testing.T) tftypes.Object {
	return apiKeySchema().Type().TerraformType(t.Context()).(tftypes.Object)
}

func (s *recordingServer) server() tfprotov6.ProviderServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// record keeps one line: the call, what it is about, and how it ended.
func (s *recordingServer) record(call string, about *tfprotov6.DynamicValue, diagnostics []*tfprotov6.Diagnostic) {
	name := "?"
	if value, err := about.Unmarshal(s.typ); err == nil {
		if text := tfvalue.Of(value).At("name").Text(); text != "" {
			name = text
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recorded = append(s.recorded, callLine(name, call, diagnostics))
}

// callLine is a call and its diagnostics, without the IDs of keys.
func callLine(name, call string, diagnostics []*tfprotov6.Diagnostic) string {
	line := name + ": " + call
	for _, d := range diagnostics {
		line += fmt.Sprintf(", %s: %s", strings.ToLower(d.Severity.String()), uuidInText.ReplaceAllString(d.Summary, "ID"))
	}
	return line
}

func (s *recordingServer) ValidateProviderConfig(ctx context.Context, req *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	s.mu.Lock()
	s.current = s.fresh()
	s.mu.Unlock()
	return s.server().ValidateProviderConfig(ctx, req)
}

func (s *recordingServer) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return s.server().ConfigureProvider(ctx, req)
}

func (s *recordingServer) StopProvider(ctx context.Context, req *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return s.server().StopProvider(ctx, req)
}

func (s *recordingServer) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	resp, err := s.server().ValidateResourceConfig(ctx, req)
	if req.TypeName == keyType && err == nil {
		s.record("validate", req.Config, resp.Diagnostics)
	}
	return resp, err
}

func (s *recordingServer) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	resp, err := s.server().ReadResource(ctx, req)
	if req.TypeName == keyType && err == nil {
		s.record("read", req.CurrentState, resp.Diagnostics)
	}
	return resp, err
}

func (s *recordingServer) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	resp, err := s.server().PlanResourceChange(ctx, req)
	if req.TypeName == keyType && err == nil {
		call, about := planCall(req)
		s.record(call, about, resp.Diagnostics)
	}
	return resp, err
}

func planCall(req *tfprotov6.PlanResourceChangeRequest) (string, *tfprotov6.DynamicValue) {
	priorIsNull, _ := req.PriorState.IsNull()
	configIsNull, _ := req.Config.IsNull()
	switch {
	case configIsNull:
		return "plan destroy", req.PriorState
	case priorIsNull && len(req.PriorPrivate) > 0:
		return "plan create, with private state", req.Config
	case priorIsNull:
		return "plan create", req.Config
	default:
		return "plan change", req.Config
	}
}

func (s *recordingServer) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	resp, err := s.server().ApplyResourceChange(ctx, req)
	if req.TypeName == keyType && err == nil {
		call, about := applyCall(req)
		s.record(call, about, resp.Diagnostics)
	}
	return resp, err
}

func applyCall(req *tfprotov6.ApplyResourceChangeRequest) (string, *tfprotov6.DynamicValue) {
	priorIsNull, _ := req.PriorState.IsNull()
	plannedIsNull, _ := req.PlannedState.IsNull()
	switch {
	case plannedIsNull:
		return "apply destroy", req.PriorState
	case priorIsNull:
		return "apply create", req.Config
	default:
		return "apply change", req.Config
	}
}
