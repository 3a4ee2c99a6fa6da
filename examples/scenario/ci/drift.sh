# ci/drift.sh
# Exit code 2: something has changed outside of Terraform. 1: the check failed.
set -euo pipefail
trap 'exit 1' ERR
[ -z "${GITHUB_ACTIONS:-}" ] || echo "::stop-commands::$(openssl rand -hex 16)" # as in ci/renew.sh

terraform plan -input=false -lock-timeout=5m -refresh-only -out=drift "$@" > /dev/null
terraform show -json drift | jq -r -L ci 'include "plan"; drift | .lines[] | clean' > drift.txt
rm drift
if [ -s drift.txt ]; then
  cat drift.txt
  exit 2
fi
