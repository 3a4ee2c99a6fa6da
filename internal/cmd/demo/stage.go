package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// serve serves the fake platform on a free port of this machine. It does not
// end with the context, but with close: Terraform may need it to end well.
func serve(ctx context.Context, platform http.Handler) (url string, closeServer func(), err error) {
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: platform, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), func() { _ = server.Close() }, nil
}

// stage runs Terraform where the audience sees it.
type stage struct {
	platform  *mockplatform.Server
	terraform string
	dir       string
	env       []string
	color     bool
	chapter   int
}

// newStage prepares a folder with the configuration, and an environment in
// which Terraform finds the provider that was just built, and nothing that the
// shell has set for another configuration.
func newStage(platform *mockplatform.Server, terraform, provider, config, dir string, env ...string) (*stage, error) {
	s := &stage{
		platform:  platform,
		terraform: terraform,
		dir:       filepath.Join(dir, "configuration"),
		color:     isTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "",
	}
	if err := os.CopyFS(s.dir, os.DirFS(config)); err != nil {
		return nil, err
	}
	cliConfig, err := install(provider, dir)
	if err != nil {
		return nil, err
	}
	s.env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "DATAPLATFORM_")
	})
	s.env = append(s.env, "TF_CLI_CONFIG_FILE="+cliConfig, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	s.env = append(s.env, env...)
	return s, nil
}

// install lays the provider out as a mirror of the registries and returns the
// path of a CLI configuration that installs from it alone. Development overrides
// would need no init, and repeat a warning with every command.
func install(provider, dir string) (string, error) {
	var suffix string
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	program, err := os.ReadFile(strings.TrimSuffix(provider, suffix) + suffix)
	if err != nil {
		return "", err
	}
	mirror := filepath.Join(dir, "mirror")
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, host, "dataplatform", "dataplatform", "0.0.1", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, "terraform-provider-dataplatform"+suffix), program, 0o755); err != nil {
			return "", err
		}
	}
	file := filepath.Join(dir, "cli.tfrc")
	content := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	return file, os.WriteFile(file, []byte(content), 0o600)
}

func (s *stage) heading(title string, lines ...string) {
	s.chapter++
	fmt.Printf("\n%s\n", s.bold(fmt.Sprintf("━━━ %d. %s ━━━", s.chapter, title)))
	for _, line := range lines {
		fmt.Println(line)
	}
	fmt.Println()
}

func (s *stage) bold(text string) string {
	if !s.color {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// redirect runs a command whose output nobody wants to read unless it fails. It
// goes where the shell would put it.
func (s *stage) redirect(ctx context.Context, file string, args ...string) error {
	fmt.Println(s.prompt(args, "> "+file))
	var output bytes.Buffer
	if err := s.command(ctx, &output, args).Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", args[0], err, output.String())
	}
	return os.WriteFile(filepath.Join(s.dir, file), output.Bytes(), 0o600)
}

// perform runs a command before the audience, and tells what the platform was
// asked since the last one. The command has to succeed, to say what was
// promised, and to send requests of the methods promised, reads aside.
func (s *stage) perform(ctx context.Context, promise string, methods []string, args ...string) error {
	fmt.Println(s.prompt(args))
	var output bytes.Buffer
	if err := s.command(ctx, io.MultiWriter(os.Stdout, &output), args).Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if !strings.Contains(output.String(), promise) {
		return fmt.Errorf("%s did not say %q", args[0], promise)
	}

	var reads int
	var lines, sent []string
	for _, r := range s.platform.Requests() {
		if r.Method == http.MethodGet {
			reads++
			continue
		}
		_, path, _ := strings.Cut(r.Path, mockplatform.OrganizationID) // the same for all
		lines = append(lines, fmt.Sprintf("  %s …%s\n    %s\n", r.Method, path, r.Body))
		sent = append(sent, r.Method)
	}
	s.platform.ResetJournal()
	rest := ", and nothing else"
	if len(lines) > 0 {
		rest = ", and"
	}
	fmt.Printf("\n%s %d GET%s\n%s", s.bold("The platform was asked:"), reads, rest, strings.Join(lines, ""))
	slices.Sort(sent)
	if !slices.Equal(sent, methods) {
		return fmt.Errorf("%s sent %v, and not %v", args[0], sent, methods)
	}
	return nil
}

func (s *stage) prompt(args []string, more ...string) string {
	name := strings.TrimSuffix(filepath.Base(s.terraform), ".exe")
	return s.bold("$ " + strings.Join(slices.Concat([]string{name}, args, more), " "))
}

func (s *stage) command(ctx context.Context, output io.Writer, args []string) *exec.Cmd {
	if !s.color {
		args = slices.Insert(slices.Clone(args), 1, "-no-color")
	}
	cmd := exec.CommandContext(ctx, s.terraform, args...)
	cmd.Dir = s.dir
	cmd.Env = s.env
	cmd.Stdout, cmd.Stderr = output, output
	// A Ctrl-C in a terminal reaches Terraform without help, and a second one
	// would make it drop everything: give it time to end by itself.
	cmd.Cancel = func() error { return nil }
	cmd.WaitDelay = 15 * time.Second
	return cmd
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
