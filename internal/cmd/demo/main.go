// Command demo tells the provider's story in a terminal: it starts the fake
// platform, installs the provider that was just built into a folder of its own
// and runs a real Terraform over examples/demo. It fails as soon as a step does
// not turn out as told, and leaves nothing behind.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	terraform := flag.String("terraform", "terraform", "the terraform or tofu to run")
	bin := flag.String("bin", "bin", "the folder with the built provider and mockplatform")
	config := flag.String("config", "examples/demo", "the folder with the configuration")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, *terraform, *bin, *config)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "\nInterrupted. The fake platform is gone, and so is everything that was made.")
		os.Exit(130)
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nThe demo did not turn out as told: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, terraform, bin, config string) (err error) {
	start := time.Now()
	dir, err := os.MkdirTemp("", "dataplatform-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	s := &stage{terraform: terraform, dir: filepath.Join(dir, "configuration"), color: isTerminal(os.Stdout)}
	if err := os.CopyFS(s.dir, os.DirFS(config)); err != nil {
		return err
	}
	cliConfig, err := install(dir, bin)
	if err != nil {
		return err
	}

	s.heading("A platform to try things on",
		"A fake of the service runs on this machine, with a few services, pipes and alerts.",
		"It prints the requests it gets: what counts is what the platform is asked.")
	p, err := startPlatform(ctx, bin, filepath.Join(dir, "platform.env"))
	if err != nil {
		return err
	}
	defer p.stop()
	s.platform = p
	// Nothing that the shell has set for another configuration reaches this one.
	s.env = append(without(os.Environ(), "TF_", "DATAPLATFORM_"),
		"TF_CLI_CONFIG_FILE="+cliConfig, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	for name, value := range p.env {
		s.env = append(s.env, name+"="+value)
	}
	fmt.Printf("It listens on %s.\n", p.env["DATAPLATFORM_BASE_URL"])
	if err := s.init(ctx); err != nil {
		return err
	}

	s.heading("The first plan",
		"A service and a pipe that exist are adopted, and only what the configuration names",
		"is managed. The warnings tell what the platform holds now and the apply overwrites.")
	if err := s.perform(ctx, "3 to add, 0 to change, 0 to destroy", nil, "plan", "-out=tfplan"); err != nil {
		return err
	}

	s.heading("The first apply", "A PATCH for the service, one for the pipe, and a POST for the key.")
	if err := s.perform(ctx, "3 added, 0 changed, 0 destroyed", []string{"PATCH", "PATCH", "POST"}, "apply", "tfplan"); err != nil {
		return err
	}

	s.heading("One value changes", "The service gets a fifth replica. Nothing else moves.")
	if err := s.perform(ctx, "0 added, 1 changed, 0 destroyed", []string{"PATCH"}, "apply", "-auto-approve", "-var", "replicas=5"); err != nil {
		return err
	}

	s.heading("Nothing left to do", "A plan after an apply is empty.")
	if err := s.perform(ctx, "No changes.", nil, "plan", "-detailed-exitcode", "-var", "replicas=5"); err != nil {
		return err
	}

	s.heading("Leaving",
		"The API can delete nothing: destroying lets go of the service and the pipe, and the",
		"key stays valid. The provider says so rather than pretend, and sends nothing.")
	if err := s.perform(ctx, "3 destroyed", nil, "destroy", "-auto-approve", "-var", "replicas=5"); err != nil {
		return err
	}

	s.heading("What the platform holds now", "Past the provider, from the platform itself: the settings stay as they were applied.")
	if err := p.tell(ctx); err != nil {
		return err
	}
	fmt.Printf("\nThat took %.0f seconds. `make mock` runs the fake platform for configurations of your own.\n",
		time.Since(start).Seconds())
	return nil
}

// install lays the provider out as a mirror of the registry and returns the
// path of a CLI configuration that installs from it alone. Development overrides
// would need no init, and repeat a warning with every command.
func install(dir, bin string) (string, error) {
	const name = "terraform-provider-dataplatform"
	program, err := os.ReadFile(filepath.Join(bin, name+exe()))
	if err != nil {
		return "", err
	}
	mirror := filepath.Join(dir, "mirror")
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, host, "dataplatform", "dataplatform", "0.0.1", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(folder, name+exe()), program, 0o755); err != nil {
			return "", err
		}
	}
	file := filepath.Join(dir, "cli.tfrc")
	content := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\n", mirror)
	return file, os.WriteFile(file, []byte(content), 0o600)
}

// platform is the running fake.
type platform struct {
	env     map[string]string
	stop    func()
	journal journal
}

func startPlatform(ctx context.Context, bin, envFile string) (*platform, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &platform{}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "mockplatform"+exe()), "-quiet", "-journal", "-env", envFile)
	cmd.Stdout, cmd.Stderr = &p.journal, &p.journal
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	p.stop = func() {
		cancel()
		<-exited
	}
	for range 200 {
		if p.env = readEnv(envFile); p.env["DATAPLATFORM_BASE_URL"] != "" {
			return p, nil
		}
		select {
		case <-exited:
			cancel()
			return nil, fmt.Errorf("the fake platform ended:\n%s", p.journal.take())
		case <-time.After(50 * time.Millisecond):
		}
	}
	p.stop()
	return nil, errors.New("the fake platform did not start within 10 seconds")
}

// readEnv reads lines of the form `export NAME=value`, quoted or not. A file
// that is not there, or whose last line is still being written, is empty.
func readEnv(file string) map[string]string {
	content, err := os.ReadFile(file)
	if err != nil || !bytes.HasSuffix(content, []byte("\n")) {
		return nil
	}
	env := map[string]string{}
	for line := range strings.Lines(string(content)) {
		assignment, ok := strings.CutPrefix(strings.TrimSpace(line), "export ")
		if name, value, found := strings.Cut(assignment, "="); ok && found {
			env[name] = strings.Trim(value, `"'`)
		}
	}
	return env
}

// journal collects what the fake prints.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// take returns what came since it was last called.
func (j *journal) take() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.text.Reset()
	return j.text.String()
}

// request finds method and path in a line of the journal.
var request = regexp.MustCompile(`(?m)^\S+ +([A-Z]+) +(\S+) +\d+`)

// requests returns what the platform was asked since it was last called: the
// number of reads, and the method and path of everything else, sorted.
func (p *platform) requests() (reads int, writes []string) {
	time.Sleep(100 * time.Millisecond) // the last line may still be on its way
	for _, r := range request.FindAllStringSubmatch(p.journal.take(), -1) {
		if r[1] == http.MethodGet {
			reads++
			continue
		}
		writes = append(writes, r[1]+" "+r[2])
	}
	slices.Sort(writes)
	return reads, writes
}

// tell asks the platform itself, past the provider.
func (p *platform) tell(ctx context.Context) error {
	var service struct {
		Result []struct {
			Name               string  `json:"name"`
			NumReplicas        float64 `json:"numReplicas"`
			IdleTimeoutMinutes float64 `json:"idleTimeoutMinutes"`
		} `json:"result"`
	}
	const path = "/v1/organizations/10000000-0000-4000-8000-000000000001/services"
	if err := p.get(ctx, path, &service); err != nil {
		return err
	}
	for _, s := range service.Result {
		if s.Name != "events-eu" {
			continue
		}
		fmt.Printf("$ curl $DATAPLATFORM_BASE_URL%s\n%s: numReplicas %v, idleTimeoutMinutes %v\n",
			path, s.Name, s.NumReplicas, s.IdleTimeoutMinutes)
		if s.NumReplicas != 5 || s.IdleTimeoutMinutes != 30 {
			return errors.New("the platform does not hold what was applied")
		}
		return nil
	}
	return errors.New("the platform has no service events-eu")
}

func (p *platform) get(ctx context.Context, path string, result any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.env["DATAPLATFORM_BASE_URL"]+path, nil)
	if err != nil {
		return err
	}
	req.SetBasicAuth(p.env["DATAPLATFORM_KEY_ID"], p.env["DATAPLATFORM_KEY_SECRET"])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(result)
}

// stage runs Terraform where the audience sees it.
type stage struct {
	terraform string
	dir       string
	env       []string
	color     bool
	platform  *platform
	chapter   int
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

// init installs the provider. Nobody wants to read how unless it fails.
func (s *stage) init(ctx context.Context) error {
	args := []string{"init"}
	fmt.Printf("\n%s\nThe provider that was just built is installed.\n", s.prompt(args))
	var output bytes.Buffer
	if err := s.command(ctx, &output, args).Run(); err != nil {
		return fmt.Errorf("init: %w\n%s", err, output.String())
	}
	return nil
}

// perform runs a command before the audience. It has to succeed, to say what was
// promised, and to send the promised methods, reads aside.
func (s *stage) perform(ctx context.Context, promise string, methods []string, args ...string) error {
	fmt.Println(s.prompt(args))
	var output bytes.Buffer
	if err := s.command(ctx, io.MultiWriter(os.Stdout, &output), args).Run(); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if !strings.Contains(output.String(), promise) {
		return fmt.Errorf("%s did not say %q", args[0], promise)
	}

	reads, writes := s.platform.requests()
	fmt.Printf("\n%s %d GET\n", s.bold("The platform was asked:"), reads)
	var sent []string
	for _, write := range writes {
		fmt.Printf("                        %s\n", write)
		sent = append(sent, strings.Fields(write)[0])
	}
	if !slices.Equal(sent, methods) {
		return fmt.Errorf("%s sent %v, and not %v", args[0], sent, methods)
	}
	return nil
}

func (s *stage) prompt(args []string) string {
	name := strings.TrimSuffix(filepath.Base(s.terraform), ".exe")
	return s.bold("$ " + name + " " + strings.Join(args, " "))
}

func (s *stage) command(ctx context.Context, output io.Writer, args []string) *exec.Cmd {
	args = slices.Clone(args)
	if !s.color {
		args = slices.Insert(args, 1, "-no-color")
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

// without drops the variables whose name starts with one of the prefixes.
func without(environ []string, prefixes ...string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(variable, prefix) })
	})
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("NO_COLOR") == ""
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
