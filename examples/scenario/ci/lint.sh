# ci/lint.sh
# Finds misspelled names in nested objects, which Terraform silently ignores.
set -euo pipefail

export TFLINT_PLUGIN_DIR=$PWD/.tflint.d
terraform providers schema -json > .tflint.d/schema.json

# Each module by itself, and then the root module with its variables.
.tflint.d/tflint --config="$PWD/.tflint.hcl" --recursive
.tflint.d/tflint --config="$PWD/.tflint.hcl" "$@"
