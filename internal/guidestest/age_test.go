package guidestest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
)

// ageCommands are what the guides use of age. The program of the tests plays them, over age's library, if
// it is called by such a name.
var ageCommands = map[string]func(args []string) error{
	"age-keygen": func(args []string) error {
		switch {
		case len(args) == 3 && args[0] == "-pq" && args[1] == "-o":
			identity, err := age.GenerateHybridIdentity()
			if err != nil {
				return err
			}
			return os.WriteFile(args[2], fmt.Appendf(nil, "# public key: %s\n%s\n", identity.Recipient(), identity), 0o600)
		case len(args) == 2 && args[0] == "-y":
			file, err := os.Open(args[1])
			if err != nil {
				return err
			}
			identities, err := age.ParseIdentities(file)
			if err != nil {
				return err
			}
			fmt.Println(identities[0].(*age.HybridIdentity).Recipient())
			return nil
		}
		return errors.ErrUnsupported
	},
	"age": func(args []string) error {
		if len(args) != 3 || args[0] != "-d" || args[1] != "-i" {
			return errors.ErrUnsupported
		}
		key, errKey := os.ReadFile(args[2])
		sealed, errSealed := io.ReadAll(os.Stdin)
		identity, errIdentity := sealing.ParseIdentity(string(key))
		if err := errors.Join(errKey, errSealed, errIdentity); err != nil {
			return err
		}
		text, err := sealing.Open(string(sealed), identity)
		fmt.Print(text)
		return err
	},
}

// playAge runs the command of age that the program is called as, if any.
func playAge() {
	command, ok := ageCommands[filepath.Base(os.Args[0])]
	if !ok {
		return
	}
	if err := command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, os.Args, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// installAge puts the commands of age into a directory of PATH.
func installAge(t *testing.T, directory string) {
	t.Helper()
	program, err := os.Executable()
	for name := range ageCommands {
		err = errors.Join(err, os.Symlink(program, filepath.Join(directory, name)))
	}
	if err != nil {
		t.Fatal(err)
	}
}
