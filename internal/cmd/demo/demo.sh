#!/usr/bin/env bash
# Tells the provider's story in a terminal: a real Terraform over examples/demo,
# with the provider that was just built, against the fake platform. Leaves nothing
# behind. With a second argument, it draws one plan into that file instead.
#
#   internal/cmd/demo/demo.sh TERRAFORM [README.svg]
set -euo pipefail
terraform=$1 picture=${2:+$PWD/$2} bin=$PWD/bin examples=$PWD/examples/demo start=$SECONDS

dir=$(mktemp -d "${TMPDIR:-/tmp}/dataplatform-demo-XXXXXX")
fake=
trap '[ -z "$fake" ] || kill "$fake"; cd /; rm -rf "$dir"' EXIT
cd "$dir"

# Nothing that the shell has set for another configuration.
for variable in "${!TF_@}" "${!DATAPLATFORM_@}"; do unset "$variable"; done
export TF_CLI_CONFIG_FILE=/dev/null TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
bold=$'\e[1m' plain=$'\e[0m'
if [ -z "$picture" ] && [ ! -t 1 ] || [ -n "${NO_COLOR-}" ]; then
	bold='' plain='' TF_CLI_ARGS=-no-color
	export TF_CLI_ARGS
fi

# Where Terraform looks for a provider before it asks a registry. Development
# overrides would repeat a warning with every command.
for host in registry.terraform.io registry.opentofu.org; do
	plugin=terraform.d/plugins/$host/dataplatform/dataplatform/0.1.0/$(go env GOOS)_$(go env GOARCH)
	mkdir -p "$plugin"
	cp "$bin"/terraform-provider-dataplatform* "$plugin"
done

"$bin/mockplatform" -journal -env env >journal &
fake=$!
until grep -qs Ctrl-C journal; do kill -0 "$fake"; sleep 0.1; done
. ./env

prompt() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; }
chapter() { printf '\n%s━━━ %s ━━━%s\n%s\n' "$bold" "$1" "$plain" "$2"; }
show() {
	prompt cat "$@"
	for file in "$@"; do cp "$examples/$file" .; done
	cat "$@"
}
# Runs Terraform, and prints the requests that the fake received.
tf() {
	prompt terraform "$@"
	local seen requests
	seen=$(wc -l <journal)
	"$terraform" "$@"
	requests=$(tail -n "+$((seen + 1))" journal | sed -E 's/^  /      /; s/^[0-9:.]+ /  /; s|/v1/organizations/[0-9a-f-]+|…|; s/ 200$//')
	printf '\n%sRequests:%s\n%s\n' "$bold" "$plain" "${requests:-  none}"
}

cp "$examples/main.tf" .
"$terraform" init >init.txt || { cat init.txt; exit 1; }
if [ -n "$picture" ]; then
	cp "$examples/service.tf" .
	"$terraform" plan | "$bin/picture" >"$picture"
	exit
fi

chapter '1. Import' 'Import blocks bring a service and a pipe under Terraform management. The plan shows old and new values.'
show service.tf pipe.tf
tf plan -out=tfplan
tf apply tfplan

chapter '2. Adopt without an import block' 'The plan shows what the configuration sets. A warning lists the values that the apply replaces.'
show adopt.tf
tf plan -out=tfplan
tf apply -compact-warnings tfplan

chapter '3. Create an API key' 'The API returns the secret of a key only once, so Terraform stores it in the state.'
show key.tf
tf apply -auto-approve
secret() {
	prompt "grep 'key_secret\":' terraform.tfstate"
	grep 'key_secret":' terraform.tfstate | cut -c 1-100
}
secret

if [[ $("$terraform" version | head -1) =~ v1\.([0-9]+) ]] && [ "${BASH_REMATCH[1]}" -ge 11 ] && command -v ssh-keygen >/dev/null; then
	chapter 'Keep its secret out of the state' 'With recipients, the state has the secret encrypted. The apply decrypts it for a write-only argument, which no state has either.'
	prompt "ssh-keygen -t ed25519 -N '' -C ops@example -f key"
	ssh-keygen -q -t ed25519 -N '' -C ops@example -f key
	prompt "sed -i '2i secret_recipients = [file(\"key.pub\")]' key.tf"
	sed '1a\
  secret_recipients = [file("key.pub")]
' key.tf >changed && mv changed key.tf
	show sealed.tf
	tf apply -auto-approve -compact-warnings
	secret
fi

chapter '4. Drift' 'In the console, somebody changes num_replicas, which Terraform manages, and idle_scaling, which it does not. Terraform corrects the first.'
events=$DATAPLATFORM_BASE_URL/console/services/$MOCKPLATFORM_SERVICE_ID
curl -sSf -X PATCH "$events" -d '{"numReplicas": 2, "idleScaling": false}' >/dev/null
tf plan -out=tfplan
tf apply tfplan
tf plan -detailed-exitcode

chapter '5. Read' 'Data sources read a list of services, one service, one pipe and one alert.'
show read.tf
tf plan

chapter '6. Destroy' 'The API cannot delete anything: destroy changes nothing on the platform, and a warning says so.'
prompt rm read.tf
rm read.tf
tf plan -destroy -out=tfplan
tf apply -compact-warnings tfplan

chapter '7. What the platform holds now' 'The service keeps its settings, and the key stays valid.'
prompt curl "…/console/services/$MOCKPLATFORM_SERVICE_ID"
curl -sSf "$events" | grep -E '"(name|numReplicas|idleTimeoutMinutes|idleScaling)"'
prompt curl …/console/keys
curl -sSf "$DATAPLATFORM_BASE_URL/console/keys" | grep -E '"(name|expireAt)"'
printf '\nThat took %d seconds. The configuration is in examples/demo. `make mock` runs the fake\nplatform for a configuration of your own.\n' $((SECONDS - start))
