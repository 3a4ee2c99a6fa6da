package guidestest

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// installAge puts what the guides use of age into a directory of PATH: age-keygen -pq -o FILE and
// age-keygen -y FILE, which know one key, and age -d -i FILE, which is the program of the tests.
func installAge(t *testing.T, directory string) {
	t.Helper()
	pair := sealingtest.PostQuantum(t)
	keygen := fmt.Sprintf(`#!/bin/sh
case "$1" in
-pq) printf '# public key: %%s\n%%s\n' '%s' '%s' > "$3" ;;
-y) sed -n 's/# public key: //p' "$2" ;;
esac
`, pair.Recipient, pair.Identity)
	program, err := os.Executable()
	if err := errors.Join(
		err,
		os.WriteFile(filepath.Join(directory, "age-keygen"), []byte(keygen), 0o700),
		os.Symlink(program, filepath.Join(directory, "age")),
	); err != nil {
		t.Fatal(err)
	}
}

// decryptAsAge is age -d -i FILE.
func decryptAsAge() {
	key, errKey := os.ReadFile(os.Args[3])
	identity, errIdentity := sealing.ParseIdentity(string(key))
	sealed, errSealed := io.ReadAll(os.Stdin)
	if err := errors.Join(errKey, errIdentity, errSealed); err != nil {
		log.Fatal(err)
	}
	text, err := sealing.Open(string(sealed), identity)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
}
