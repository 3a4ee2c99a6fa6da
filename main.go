// Command terraform-provider-dataplatform is the Terraform provider for Data
// Platform. Terraform starts it; a person runs it to ask its version or to
// attach a debugger.
package main

import (
	"flag"
	"fmt"
	"log"
	"os/signal"
	"syscall"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/process"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

// version is set by the linker in a release; see the build target of
// GNUmakefile.
var version = "dev"

// atExit ends what a build with the tag profile has begun.
var atExit = func() {}

func main() {
	debug := flag.Bool("debug", false, "serve to an attached debugger, and print how Terraform reaches it")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println(version)
		return
	}
	err := serve(*debug)
	atExit()
	if err != nil {
		log.Fatal(err)
	}
}

func serve(debug bool) error {
	process.TuneMemory()
	options := []tf6server.ServeOpt{tf6server.WithManagedDebug()}
	// A developer who serves to a debugger reads the logs in this terminal,
	// whatever Terraform's own shell has set.
	if !debug {
		if err := process.SetLogLevels("dataplatform"); err != nil {
			return err
		}
		options = []tf6server.ServeOpt{tf6server.WithGoPluginLogger(process.PluginLogger())}
		// What ends Terraform in good order (timeout, systemd, a CI runner)
		// often tells every process of the group to terminate. Terraform waits
		// for what is under way and then ends its providers: one that goes at
		// once takes the only copy of a new key's secret with it. An interrupt
		// is ignored by the plugin library, for the same reason.
		signal.Ignore(syscall.SIGTERM)
	}
	return tf6server.Serve("registry.terraform.io/dataplatform/dataplatform", provider.NewServer(version), options...)
}
