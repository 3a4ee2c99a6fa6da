// Command terraform-provider-dataplatform is the Terraform provider for Data
// Platform. Terraform starts it. Started by hand, it prints its version or serves to
// a debugger.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/process"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

// version is set by the linker in a release; see the build target of
// GNUmakefile.
var version = "dev"

func main() {
	debugger := flag.Bool("debug", false, "serve to an attached debugger, and print how to connect Terraform to it")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()
	if *showVersion {
		fmt.Println(version)
		return
	}
	if err := serve(*debugger); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(debugger bool) error {
	// What a call allocates is garbage at once. Go's default of 100 collects it so often
	// that a plan takes a sixth more CPU time. GOGC takes precedence.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	beginWrite := func() (end func()) { return func() {} }
	options := []tf6server.ServeOpt{tf6server.WithManagedDebug()}
	// With a debugger, logs go to this terminal, and Terraform's levels do not apply.
	if !debugger {
		process.DiscardStandardLogger()
		if err := process.SetLogLevels("dataplatform"); err != nil {
			return err
		}
		options = []tf6server.ServeOpt{tf6server.WithGoPluginLogger(process.PluginLogger())}
		beginWrite = process.BeginWrite
		go process.EndWithParent(os.Getppid())
	}
	return tf6server.Serve("registry.terraform.io/dataplatform/dataplatform", provider.NewServer(version, beginWrite), options...)
}
