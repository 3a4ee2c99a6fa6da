# ci/encrypt.sh
# Encrypts tfplan, and prints the digest of the result.
set -euo pipefail

# A secret that is not set is an empty text, with which OpenSSL would encrypt.
: "${PLAN_PASSPHRASE:?is not set}"
openssl enc -aes-256-cbc -pbkdf2 -iter 600000 -pass env:PLAN_PASSPHRASE -in tfplan -out tfplan.enc
digest=$(openssl dgst -sha256 -r tfplan.enc)
digest=${digest%% *}
echo "digest=$digest" >> "${GITHUB_OUTPUT:-/dev/null}"
echo "$digest"
