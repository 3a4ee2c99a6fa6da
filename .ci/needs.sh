#!/usr/bin/env bash
# Says in one sentence what this machine lacks, before anything is built.
#
#   .ci/needs.sh go
#   .ci/needs.sh curl
#   .ci/needs.sh terraform
#   .ci/needs.sh terraform-1.5 TERRAFORM
set -euo pipefail

missing() {
	printf '%s\n' "$*" >&2
	exit 1
}

case $1 in
go)
	wanted=$(sed -n 's/^go //p' go.mod)
	install="Install Go 1.21 or later (https://go.dev/dl): it fetches Go $wanted itself."
	command -v go >/dev/null || missing "Go is missing. $install"
	installed=$(cd / && GOTOOLCHAIN=local go version | sed -E 's/^go version go([^ ]*).*/\1/')
	[[ ! $installed =~ ^1\.(1?[0-9]|20)([^0-9]|$) ]] || missing "Go $installed is too old. $install"
	# A small module: Go itself is fetched before it.
	said=$(go mod download github.com/google/uuid 2>&1) || case $said in
		*x509:*) missing 'Certificates are missing, or one of a proxy: Go trusts no server to fetch modules from. Install ca-certificates.' ;;
		*GOTOOLCHAIN=local*) missing "Go $installed is older than Go $wanted, and may not fetch it. Set GOTOOLCHAIN=auto." ;;
		*) missing "Go cannot fetch modules, which the build needs: $said" ;;
	esac
	;;
curl)
	command -v curl >/dev/null || missing 'curl is missing, with which the demo changes something in the console of the fake platform. Install curl.'
	;;
terraform) # is not on PATH. A connection tells at once what hc-install tells after its build.
	[ -n "${HTTPS_PROXY-}${https_proxy-}" ] || { : </dev/tcp/releases.hashicorp.com/443; } 2>/dev/null ||
		missing 'Terraform is missing, and releases.hashicorp.com, which has it, cannot be reached. Install Terraform or OpenTofu, or name one in TF_ACC_TERRAFORM_PATH.'
	;;
terraform-1.5)
	version=$("$2" version)
	version=${version%%$'\n'*}
	[[ ! $version =~ ^Terraform\ v(0|1\.[0-4])\. ]] || missing "The demo needs Terraform 1.5 or later, and $2 is $version. Install a newer one, or name it in TF_ACC_TERRAFORM_PATH."
	;;
esac
