package terraformtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

func TestMain(m *testing.M) {
	Isolate("TF_")
	os.Exit(m.Run())
}

// program is a real terraform before a provider in this process.
type program struct {
	t *testing.T
	// older is a Terraform before 1.16, which plans a destruction before it refreshes.
	older bool
	// endsEarly is one from 1.14 on: where something fails, it says less, and not always the same.
	endsEarly bool

	dir string
	env []string
}

const address = "registry.terraform.io/test/test"

func newProgram(t *testing.T, provider tfprotov6.ProviderServer) *program {
	t.Helper()
	under := ProgramUnder(t)
	if under.OpenTofu || under.OlderThan("1.11", "") {
		t.Skipf("needs Terraform 1.11 with its write-only arguments, and this is %s", under)
	}
	configs, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		_ = tf6server.Serve(address, func() tfprotov6.ProviderServer { return provider },
			tf6server.WithDebug(ctx, configs, closed), tf6server.WithGoPluginLogger(hclog.NewNullLogger()), tf6server.WithLoggingSink(t))
	}()
	t.Cleanup(func() { cancel(); <-closed })
	reattach := <-configs
	text := must(json.Marshal(map[string]any{address: map[string]any{
		"Protocol": reattach.Protocol, "ProtocolVersion": 6, "Pid": reattach.Pid, "Test": true,
		"Addr": map[string]string{"Network": reattach.Addr.Network(), "String": reattach.Addr.String()},
	}}))
	return &program{
		t: t, dir: t.TempDir(), env: append(os.Environ(), "TF_REATTACH_PROVIDERS="+string(text), "TF_IN_AUTOMATION=1"),
		older: under.OlderThan("1.16", ""), endsEarly: !under.OlderThan("1.14", ""),
	}
}

// configure writes the configuration of a step.
func (w *program) configure(lives []*life) {
	w.t.Helper()
	things, data, imports := map[string]any{}, map[string]any{}, []any{}
	for _, l := range lives {
		if l.written == nil {
			continue
		}
		ignored := []string{}
		for _, path := range l.IgnoreChanges {
			ignored = append(ignored, formatPath(path)[1:])
		}
		thing := maps.Clone(l.written)
		thing["lifecycle"] = map[string]any{"create_before_destroy": l.CreateBeforeDestroy, "ignore_changes": ignored}
		things[l.name], data[l.name] = thing, map[string]any{"input": l.outputs}
		if l.imports {
			imports = append(imports, map[string]any{"to": "test_thing." + l.name, "id": l.name})
		}
	}
	config := must(json.Marshal(map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{"test": map[string]any{"source": address}}},
		"resource":  map[string]any{"test_thing": things, "terraform_data": data},
		"import":    imports,
	}))
	if err := os.WriteFile(filepath.Join(w.dir, "main.tf.json"), config, 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// place and result find the resource and the path in it in the detail of an error.
var (
	place  = regexp.MustCompile(`test_thing\.(l\d+)((?:\.\w+|\[[^\]]*\])*)`)
	result = regexp.MustCompile(`new value(?::| for) ((?:\.\w+|\[[^\]]*\])*)`)
)

// run runs a command, and returns the errors of each life.
func (w *program) run(args ...string) (failed bool, errorsOf map[string][]string) {
	w.t.Helper()
	command := exec.CommandContext(w.t.Context(), os.Getenv("TF_ACC_TERRAFORM_PATH"), slices.Insert(args, 1, "-json", "-input=false")...)
	command.Dir, command.Env = w.dir, w.env
	out, err := command.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		w.t.Fatalf("terraform %s: %s", args, exit.Stderr)
	}
	errorsOf = map[string][]string{}
	for line := range bytes.Lines(out) {
		var message struct {
			Diagnostic struct{ Severity, Summary, Detail string }
		}
		if err := json.Unmarshal(line, &message); err != nil { //nolint:musttag // encoding/json finds names in any letter case
			w.t.Fatalf("%v in %s", err, line)
		}
		d := message.Diagnostic
		if d.Severity != "error" {
			continue
		}
		found := place.FindStringSubmatch(d.Detail)
		if found == nil {
			w.t.Fatalf("%s", line)
		}
		text := d.Summary
		if text != "Boom" {
			text += " " + found[2]
		}
		if inner := result.FindStringSubmatch(d.Detail); inner != nil {
			text += inner[1]
		}
		errorsOf[found[1]] = append(errorsOf[found[1]], text)
	}
	return err != nil, errorsOf
}
