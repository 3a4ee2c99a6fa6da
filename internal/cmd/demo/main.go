// Command demo tells the provider's story in a terminal: it serves the fake
// platform, installs the provider that was just built into a folder of its own
// and runs a real Terraform over examples/demo. It fails as soon as a step does
// not turn out as told, and leaves nothing behind.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

func main() {
	terraform := flag.String("terraform", "terraform", "the terraform or tofu to run")
	provider := flag.String("provider", "bin/terraform-provider-dataplatform", "the built provider")
	config := flag.String("config", "examples/demo", "the folder with the configuration")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *terraform, *provider, *config)
	interrupted := ctx.Err() != nil
	stop()
	switch {
	case interrupted:
		fmt.Fprintln(os.Stderr, "\nInterrupted. The fake platform is gone, and so is everything that was made.")
		os.Exit(130)
	case err != nil:
		fmt.Fprintf(os.Stderr, "\nThe demo did not turn out as told: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, terraform, provider, config string) (err error) {
	start := time.Now()
	dir, err := os.MkdirTemp("", "dataplatform-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	seed := mockplatform.DefaultSeed()
	platform := mockplatform.New(seed)
	url, closePlatform, err := serve(ctx, platform)
	if err != nil {
		return err
	}
	defer closePlatform()
	s, err := newStage(platform, terraform, provider, config, dir,
		"DATAPLATFORM_BASE_URL="+url,
		"DATAPLATFORM_KEY_ID="+seed.KeyID,
		"DATAPLATFORM_KEY_SECRET="+seed.KeySecret,
		"DATAPLATFORM_ALERTS_BASE_URL="+url,
		"DATAPLATFORM_ALERTS_ACCESS_TOKEN="+seed.AccessToken,
	)
	if err != nil {
		return err
	}

	s.heading("A platform to try things on",
		"A fake of the service listens on "+url+", with a few services, pipes",
		"and alerts. After each command stands what the platform was asked. The provider that",
		"was just built is installed from a folder.")
	if err := s.redirect(ctx, "init.txt", "init"); err != nil {
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
	if err := s.redirect(ctx, "goodbye.txt", "plan", "-destroy", "-out=tfplan", "-var", "replicas=5"); err != nil {
		return err
	}
	if err := s.perform(ctx, "3 destroyed", nil, "apply", "tfplan"); err != nil {
		return err
	}

	s.heading("What the platform holds now", "Not Terraform's word, but the platform's own: all stays as it was applied.")
	service, keys := platform.Service(mockplatform.ServiceID), platform.Keys()
	holds := fmt.Sprintf("numReplicas %v, idleTimeoutMinutes %v", service["numReplicas"], service["idleTimeoutMinutes"])
	fmt.Printf("service %v: %s\n", service["name"], holds)
	if len(keys) != 1 || holds != "numReplicas 5, idleTimeoutMinutes 30" {
		return fmt.Errorf("the platform holds %d keys and %s", len(keys), holds)
	}
	if request, ok := keys[0]["request"].(mockplatform.Document); ok {
		fmt.Printf("key %v: expireAt %v\n", request["name"], request["expireAt"])
	}

	fmt.Printf("\nThat took %.0f seconds. The configuration is %s; `make mock` runs the fake\nplatform for one of your own.\n",
		time.Since(start).Seconds(), filepath.Join(config, "main.tf"))
	return nil
}
