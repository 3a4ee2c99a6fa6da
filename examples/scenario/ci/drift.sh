# ci/drift.sh
set -euo pipefail

terraform plan -input=false -lock-timeout=5m -refresh-only -out=drift "$@" > /dev/null
terraform show -json drift > drift.json
jq -r --arg list resource_drift -f ci/changes.jq drift.json > drift.txt
rm drift drift.json

# These values change without anybody changing them.
if grep -vE '^  (state|updated_at|ready_for_renewal): ' drift.txt | grep -qE '^  |: delete$'; then
  echo 'These objects have changed outside of Terraform:'
  cat drift.txt
  exit 1
fi
