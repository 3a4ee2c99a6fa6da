# ci/drift.sh
# Exit code 2: something has changed outside of Terraform. 1: the check failed.
set -euo pipefail
trap 'exit 1' ERR
[ -z "${GITHUB_ACTIONS:-}" ] || echo "::stop-commands::$(openssl rand -hex 16)" # as in ci/renew.sh

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
terraform plan -input=false -lock-timeout=5m -refresh-only -out="$dir/tfplan" "$@" > /dev/null
drift=$(terraform show -json "$dir/tfplan" | jq -r -L ci 'include "plan"; drift | .lines[] | clean')
if [ -n "$drift" ]; then
  echo "$drift"
  exit 2
fi
