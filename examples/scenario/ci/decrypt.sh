# ci/decrypt.sh
# Decrypts the plan with PLAN_DIGEST. The cipher alone would not notice another one.
set -euo pipefail

digest=$(openssl dgst -sha256 -r tfplan.enc)
if [ "${digest%% *}" != "$PLAN_DIGEST" ]; then
  echo 'tfplan.enc is not the plan that was encrypted.' >&2
  exit 1
fi
openssl enc -d -aes-256-cbc -pbkdf2 -iter 600000 -pass env:PLAN_PASSPHRASE -in tfplan.enc -out tfplan
