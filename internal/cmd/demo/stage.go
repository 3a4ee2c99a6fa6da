package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	config    string
	out       io.Writer
	dir       string
	env       []string
	color     bool
}

// newStage prepares an empty folder, and an environment in which Terraform
// finds the provider that was just built, and nothing that the shell has set
// for another configuration.
func newStage(ctx context.Context, platform *mockplatform.Server, o options, dir string, env ...string) (*stage, error) {
	s := &stage{
		platform:  platform,
		terraform: o.terraform,
		config:    o.config,
		out:       o.out,
		dir:       filepath.Join(dir, "configuration"),
		color:     isTerminal(o.out) && os.Getenv("NO_COLOR") == "",
	}
	if err := os.Mkdir(s.dir, 0o750); err != nil {
		return nil, err
	}
	cliConfig, err := install(o.provider, dir)
	if err != nil {
		return nil, err
	}
	s.env = slices.Concat(environment(cliConfig), env)
	if err := s.checkVersion(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// environment is the shell's, without settings of Terraform and the provider.
func environment(cliConfig string) []string {
	env := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "DATAPLATFORM_")
	})
	return append(env, "TF_CLI_CONFIG_FILE="+cliConfig, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
}

var errTooOld = errors.New("needs Terraform 1.5 or OpenTofu 1.6, for import blocks")

// checkVersion fails with errTooOld under a Terraform without import blocks. Every
// OpenTofu has them.
func (s *stage) checkVersion(ctx context.Context) error {
	major, minor, err := s.version(ctx)
	if err != nil {
		return fmt.Errorf("%s version: %w", s.terraform, err)
	}
	if major == 1 && minor < 5 {
		return fmt.Errorf("%w; %s is version %d.%d", errTooOld, s.terraform, major, minor)
	}
	return nil
}

// version returns the first two numbers of the program's version.
func (s *stage) version(ctx context.Context) (major, minor int, err error) {
	out, err := s.command(ctx, "version", "-json").Output()
	if err != nil {
		return 0, 0, err
	}
	var answer struct {
		Version string `json:"terraform_version"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return 0, 0, err
	}
	if _, err := fmt.Sscanf(answer.Version, "%d.%d", &major, &minor); err != nil {
		return 0, 0, fmt.Errorf("%q is no version", answer.Version)
	}
	return major, minor, nil
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

func (s *stage) play(ctx context.Context, chapters []chapter) error {
	start := time.Now()
	for i, chapter := range chapters {
		if i > 0 {
			s.print()
		}
		s.print(s.bold(fmt.Sprintf("━━━ %d. %s ━━━", i+1, chapter.title)) + "\n" + chapter.next)
		for _, step := range chapter.steps {
			if err := step(ctx); err != nil {
				return fmt.Errorf("chapter %d: %w", i+1, err)
			}
		}
	}
	s.print(fmt.Sprintf("\nThat took %.0f seconds. The configuration is in %s. `make mock` runs the fake\nplatform for a configuration of your own.",
		time.Since(start).Seconds(), s.config))
	return nil
}

// print prints lines to the audience. Where that fails, nobody is there.
func (s *stage) print(lines ...any) { _, _ = fmt.Fprintln(s.out, lines...) }

func (s *stage) bold(text string) string {
	if !s.color {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// copy adds files to the folder in which Terraform runs.
func (s *stage) copy(files ...string) step {
	return func(context.Context) error {
		for _, file := range files {
			content, err := os.ReadFile(filepath.Join(s.config, file))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(s.dir, file), content, 0o600); err != nil {
				return err
			}
		}
		return nil
	}
}

// show adds files and prints them.
func (s *stage) show(files ...string) step {
	return func(ctx context.Context) error {
		if err := s.copy(files...)(ctx); err != nil {
			return err
		}
		s.print("\n" + s.bold("$ cat "+strings.Join(files, " ")))
		for i, file := range files {
			if i > 0 {
				s.print()
			}
			content, err := os.ReadFile(filepath.Join(s.dir, file))
			if err != nil {
				return err
			}
			s.print(string(bytes.TrimSpace(content)))
		}
		return nil
	}
}

// remove removes a file.
func (s *stage) remove(file string) step {
	return func(context.Context) error {
		s.print("\n" + s.bold("$ rm "+file))
		return os.Remove(filepath.Join(s.dir, file))
	}
}

// quietly runs a command whose output nobody wants to read unless it fails. It
// goes where the shell would put it.
func (s *stage) quietly(file string, args ...string) step {
	return func(ctx context.Context) error {
		s.print("\n" + s.prompt(args, "> "+file))
		output, err := s.command(ctx, args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", args[0], err, output)
		}
		return os.WriteFile(filepath.Join(s.dir, file), output, 0o600)
	}
}

// expected is the outcome of a command: what it says, and the requests that it
// sends. Of a request that changes something, it has the beginning, as printed on
// one line.
type expected struct {
	says   string
	gets   int
	writes []string
}

// run runs a command before the audience, and prints the requests that it sent.
func (s *stage) run(want expected, args ...string) step {
	return func(ctx context.Context) error {
		s.platform.ResetJournal()
		s.print("\n" + s.prompt(args))
		var output bytes.Buffer
		cmd := s.command(ctx, args...)
		cmd.Stdout = io.MultiWriter(s.out, &output)
		cmd.Stderr = cmd.Stdout
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", args[0], err)
		}
		have := expected{says: want.says}
		for _, r := range s.platform.Requests() {
			if r.Method == http.MethodGet {
				have.gets++
				continue
			}
			_, path, _ := strings.Cut(r.Path, mockplatform.OrganizationID) // the same for all
			have.writes = append(have.writes, fmt.Sprintf("%s …%s %s", r.Method, path, r.Body))
		}
		slices.Sort(have.writes)
		s.print("\n" + s.bold("Requests: ") + strings.Join(append([]string{fmt.Sprint(have.gets, " GET")}, have.writes...), "\n  "))
		return want.compare(args[0], output.String(), have)
	}
}

// colors are in the output where somebody looks at it.
var colors = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func (want expected) compare(command, output string, have expected) error {
	if !strings.Contains(colors.ReplaceAllString(output, ""), want.says) {
		return fmt.Errorf("%s did not print %q", command, want.says)
	}
	if have.gets != want.gets || !slices.EqualFunc(have.writes, want.writes, strings.HasPrefix) {
		return fmt.Errorf("%s sent %d GET and %q, and not %d GET and %q", command, have.gets, have.writes, want.gets, want.writes)
	}
	return nil
}

func (s *stage) prompt(args []string, more ...string) string {
	name := strings.TrimSuffix(filepath.Base(s.terraform), ".exe")
	return s.bold("$ " + strings.Join(slices.Concat([]string{name}, args, more), " "))
}

func (s *stage) command(ctx context.Context, args ...string) *exec.Cmd {
	if !s.color && args[0] != "version" {
		args = slices.Insert(slices.Clone(args), 1, "-no-color")
	}
	cmd := exec.CommandContext(ctx, s.terraform, args...)
	cmd.Dir = s.dir
	cmd.Env = s.env
	// A Ctrl-C in a terminal reaches Terraform without help, and a second one
	// would make it drop everything: give it time to end by itself.
	cmd.Cancel = func() error { return nil }
	cmd.WaitDelay = 15 * time.Second
	return cmd
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
