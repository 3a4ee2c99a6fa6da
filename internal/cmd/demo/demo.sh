#!/usr/bin/env bash
# Tells the provider's story in a terminal: a real Terraform over examples/demo,
# with the provider that was just built, against the fake platform. Leaves nothing
# behind.
#
#   internal/cmd/demo/demo.sh TERRAFORM
set -euo pipefail
terraform=$1 bin=$PWD/bin examples=$PWD/examples/demo

# Ctrl-C kills what runs: Terraform would wait for its provider, and that for the fake, which is gone. The
# directory has a name before it exists, so that none is left behind without one.
dir=${TMPDIR:-/tmp}/dataplatform-demo-$$-$RANDOM$RANDOM
end() {
	trap '' INT TERM HUP
	set +m
	for job in $(jobs -p); do kill -KILL -- "-$job" 2>/dev/null || true; done
	wait 2>/dev/null || true
	cd /
	rm -rf "$dir"
}
trap end EXIT
trap 'end; exit 130' INT TERM HUP # also if one comes while another ends it
mkdir -m 700 "$dir"
cd "$dir"

# Starts a program in a process group of its own, which Ctrl-C does not reach, but end does.
start() {
	set -m
	"$@" </dev/null &
	set +m
}
terraform() {
	start "$terraform" "$@"
	wait $! # until it ends, or Ctrl-C is pressed
}

# Nothing that the shell has set for another configuration.
for variable in "${!TF_@}" "${!DATAPLATFORM_@}"; do unset "$variable"; done
export TF_CLI_CONFIG_FILE=/dev/null TF_IN_AUTOMATION=1 CHECKPOINT_DISABLE=1
export TMPDIR=. # sockets are there, whose paths must be short
bold=$'\e[1m' plain=$'\e[0m' erase=$'\r\e[K'
if [ ! -t 1 ] || [ -n "${NO_COLOR-}" ] || [ "${TERM:-dumb}" = dumb ]; then
	bold='' plain='' erase=$'\n'
	export TF_CLI_ARGS=-no-color
fi

# Where Terraform looks for a provider before it asks a registry. Development
# overrides would repeat a warning with every command.
for host in registry.terraform.io registry.opentofu.org; do
	plugin=terraform.d/plugins/$host/dataplatform/dataplatform/0.1.0/$(go env GOOS)_$(go env GOARCH)
	mkdir -p "$plugin"
	cp "$bin"/terraform-provider-dataplatform* "$plugin"
done

start "$bin/mockplatform" -journal -env env >journal
fake=$!
until grep -qs Ctrl-C journal; do kill -0 "$fake"; sleep 0.1; done
. ./env
cp "$examples/main.tf" .
terraform init >init.txt || { cat init.txt; exit 1; }

# Says what comes next and why, and waits for a key if a person is there to press one.
step() {
	printf '\n%s━━━ %s ━━━%s\n%s\n' "$bold" "$1" "$plain" "$2"
	if [ -t 0 ] && [ -t 1 ]; then
		printf '%s[press a key, or q to quit]%s' "$bold" "$plain"
		read -rsn1 key || key=q
		printf %s "$erase"
		[ "$key" != q ] || exit 0
	fi
}
prompt() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; }
show() {
	prompt cat "$@"
	for file in "$@"; do cp "$examples/$file" .; done
	cat "$@"
}
# Edits a file with an awk program, and shows the lines that change.
edit() {
	prompt vi "$1"
	awk "$2" "$1" >edited
	{ diff "$1" edited || true; } | sed -n 's/^< /- /p; s/^> /+ /p'
	mv edited "$1"
}
# Runs a plan, and shows what changes to a known value, and the warnings. With a pattern, it shows
# the lines that match.
plan() {
	terraform plan ${1:+-no-color} -out=tfplan >plan.txt || { cat plan.txt; exit 1; }
	if [ -n "${1-}" ]; then
		prompt "terraform plan -out=tfplan | grep -E '$1'"
		grep -E "$1" plan.txt
		return
	fi
	prompt terraform plan -out=tfplan
	awk '/─────|Saved the plan/ { exit }
		/will perform the following/ { shown = 1; next }
		!shown || /known after apply|unchanged (attribute|element)|(with|on) .*dataplatform_/ { next }
		{ text = $0; gsub(/\033\[[0-9;]*m|│|╷|╵/, "", text) }
		text ~ /^ *([0-9]+:.*)?$/ { next }
		/Plan:|Warning:/ { print "" }
		{ print }' plan.txt
}
# Carries the plan out, and shows the requests of it that change something.
apply() {
	local seen
	seen=$(wc -l <journal)
	prompt terraform apply tfplan
	terraform apply tfplan >apply.txt || { cat apply.txt; exit 1; }
	grep 'Apply complete' apply.txt
	echo 'Sent to the platform:'
	tail -n "+$((seen + 1))" journal | grep -A 1 -E '^[0-9:.]+ (PATCH|POST)' |
		sed -E '/^--$/d; s/^[0-9:.]+ /  /; s|/v1/organizations/[0-9a-f-]+|…|; s/ 200$//' || echo '  nothing'
}

printf '%sThe provider over a fake platform, in five steps.%s Plans are shown without unchanged and unknown values.\n' "$bold" "$plain"

step '1. Import' 'A service and a pipe exist on the platform. Import blocks bring them under Terraform management, and change nothing.'
show service.tf pipe.tf
plan '^  # |^Plan:'
apply

step '2. A table, and a column' 'Replicate one more table. On the way, somebody drops "phone" from the excluded columns, and the plan says what that does.'
edit pipe.tf '/sales.leads/ { print; print "        \"sales.invoices:invoices\"    = { excluded_columns = [\"iban\"] }"; next } { sub(/, "phone"/, ""); print }'
plan

step '3. The column stays excluded' 'With "phone" back in the list, only the new table is left to add: the other mappings are not touched. No credentials are sent, and the fake keeps those it has. Your platform may not: set source_credentials first.'
edit pipe.tf '{ sub(/"password_hash"/, "&, \"phone\""); print }'
plan '[+~-] "[a-z_.]+:|^Plan:'
apply

step '4. A colleague changes something' 'In the console, a colleague scales the service down to 2 replicas, and turns idle scaling off. Terraform manages the first alone, and corrects it.'
curl -sSf -X PATCH "$DATAPLATFORM_BASE_URL/console/services/$MOCKPLATFORM_SERVICE_ID" -d '{"numReplicas": 2, "idleScaling": false}' >/dev/null
plan
apply

step '5. A key, and its rotation' 'A key is created, and then rotated, because it may have leaked: the new key comes first, and the old one stays valid until you revoke it.'
show key.tf
plan '^Plan:' >hidden.txt
apply
edit key.tf '{ sub(/first key/, "a laptop was stolen"); print }'
plan
apply

printf '\nThe configuration is in examples/demo. `make mock` runs the fake platform for one of your own.\n'
