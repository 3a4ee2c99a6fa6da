// Command terraform-provider-dataplatform is the Terraform provider for Data
// Platform. Terraform starts it; a person runs it to ask its version or to
// attach a debugger.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

// version is set by the linker in a release; see the build target of
// GNUmakefile.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve to an attached debugger, and print how Terraform reaches it")
	showVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()

	if *showVersion {
		fmt.Println(version)
		return
	}

	err := providerserver.Serve(context.Background(), provider.New(version), providerserver.ServeOpts{
		Address:         "registry.terraform.io/dataplatform/dataplatform",
		Debug:           *debug,
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
