# ci/lint.sh
# Finds misspelled names in nested objects, which Terraform silently ignores.
set -euo pipefail

if ! [ -x .tflint.d/tflint ]; then
  echo 'There is no .tflint.d/tflint. Build it first:' >&2
  echo '  go build -C lint -o "$PWD/.tflint.d/" . github.com/terraform-linters/tflint' >&2
  exit 1
fi

export TFLINT_PLUGIN_DIR=$PWD/.tflint.d
terraform providers schema -json > .tflint.d/schema.json

# Each module by itself, and then the root module with its variables.
.tflint.d/tflint --config="$PWD/.tflint.hcl" --recursive
.tflint.d/tflint --config="$PWD/.tflint.hcl" "$@"
