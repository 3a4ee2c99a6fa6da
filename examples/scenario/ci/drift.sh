# ci/drift.sh
# Exit code 2: something has changed outside of Terraform. 1: the check failed.
set -euo pipefail
trap 'exit 1' ERR

terraform plan -input=false -lock-timeout=5m -refresh-only -out=drift "$@" > /dev/null
terraform show -json drift > drift.json
jq -r --arg list resource_drift -f ci/changes.jq drift.json > drift.txt
rm drift drift.json
if [ -s drift.txt ]; then
  echo 'These objects have changed outside of Terraform:'
  cat drift.txt
  exit 2
fi
