package provider

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing/sealingtest"
)

// files are all files below the directory, with what saved plans contain.
func (w *workspace) files() string {
	w.t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS(w.Dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) == ".tf" {
			return err
		}
		if strings.HasPrefix(entry.Name(), "tfplan") {
			all.WriteString(w.archive(name))
		}
		content, err := os.ReadFile(filepath.Join(w.Dir, name))
		all.Write(content)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return all.String()
}

// secretLines are the lines of private keys that are long enough to be looked for.
func secretLines(texts ...string) map[string]string {
	lines := map[string]string{}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) > 12 && !strings.HasPrefix(line, "-----") {
				lines[fmt.Sprintf("line %d", len(lines))] = line
			}
		}
	}
	return lines
}

// The secret of a key with recipients stands nowhere in plain text, and neither does the identity: no
// file, saved plan, output or log has them, also if the consumer fails or the run is interrupted.
func TestSealedSecretStandsNowhere(t *testing.T) {
	f := newFixture(t)
	pair := sealingtest.Ed25519(t, "")
	config := f.delivered(lasting+"\nrotation_triggers = { t = var.trigger }\n"+to(pair.Recipient), "  identity = var.identity") + `
variable "trigger" { default = "1" }
variable "identity" {
  type      = string
  ephemeral = true
}
output "encrypted" { value = dataplatform_api_key.this.encrypted_key_secret }
`
	w := f.workspace(config)
	w.setenv("TF_VAR_identity="+pair.Identity, "TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "trace.log"))
	var printed strings.Builder
	run := func(want bool, args ...string) {
		t.Helper()
		out, ok := w.Terraform(args...)
		if ok != want {
			t.Fatalf("terraform %s: %t\n%s", strings.Join(args, " "), ok, out)
		}
		printed.WriteString(out)
	}
	run(true, "plan", "-out=tfplan1")
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, Status: 400, Body: mockplatform.BodyEcho})
	run(false, "apply", "tfplan1")
	f.Inject(mockplatform.Fault{Operation: mockplatform.UpdatePipe, After: true, Hang: true})
	printed.WriteString(w.interrupted(syscall.SIGINT, func() bool { return f.PipeSecrets(mockplatform.KafkaPipeID) != nil && f.Count("PATCH", "") > 1 }, f.ClearFaults))
	run(true, "apply", "-auto-approve")
	f.wantDelivered(1)()
	run(true, "plan", "-out=tfplan2", "-var=trigger=2")
	run(true, "show", "-json", "tfplan2")
	run(true, "apply", "tfplan2")
	f.wantDelivered(2)()
	run(true, "show", "-json")
	run(true, "output", "-json")
	run(true, "apply", "-refresh=false", "-auto-approve", "-var=trigger=2")
	run(true, "plan", "-destroy", "-out=tfplan3", "-var=trigger=2")
	run(true, "apply", "tfplan3")

	secrets := secretLines(pair.Identity)
	for i, key := range f.Keys() {
		secrets[fmt.Sprintf("the secret of key %d", i)] = member(key, "result.keySecret").(string)
	}
	files := w.files()
	wantText(t, files, "ephemeral.dataplatform_api_key_secret.this", "password_wo_version", "BEGIN AGE ENCRYPTED FILE", "Data Platform request")
	for _, leak := range leaks(printed.String()+files, secrets) {
		t.Error(leak)
	}
	if len(secrets) < 6 || len(leaks(files, map[string]string{"a part of the state": "BEGIN AGE ENCRYPTED FILE"})) == 0 {
		t.Errorf("the test looks for %d secrets, and finds nothing: it looks at nothing", len(secrets))
	}
}

// A private key that somebody sets as a recipient, or an identity that is wrong, is in no output and in no
// log, whether it is written in the configuration or known only after apply.
func TestPrivateKeysAreNotRepeated(t *testing.T) {
	age, pem, pq := sealingtest.X25519(t), sealingtest.Ed25519(t, ""), sealingtest.PostQuantum(t)
	needTerraform(t)
	f := newFixture(t)
	skipIfTooOld(t, f.delivered("", ""))
	texts := map[string]string{
		"age": age.Identity, "lower case": strings.ToLower(age.Identity), "post-quantum": pq.Identity, "SSH": pem.Identity,
		"below a public key": pem.Recipient + " x\n" + pem.Identity, "cut off": pem.Identity[40:], "cut off, age": age.Identity[10:],
		"with a passphrase": sealingtest.Ed25519(t, "hush-hush").Identity,
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			f := &fixture{t: t, Server: f.Server, url: f.url, now: f.now}
			element := fmt.Sprintf("[%q, %q]", age.Recipient, text)
			for where, config := range map[string]string{
				"written":       f.delivered("secret_recipients = "+element, "identity = \"x\""),
				"in a variable": f.delivered("secret_recipients = var.late", "identity = \"x\"") + "variable \"late\" {\n  default = " + element + "\n}\n",
				"late": f.delivered("secret_recipients = terraform_data.late.output", "identity = \"x\"") +
					"resource \"terraform_data\" \"late\" {\n  input = sensitive(" + element + ")\n}\n",
				"identity": f.provider() + fmt.Sprintf("ephemeral \"dataplatform_api_key_secret\" \"this\" {\n  encrypted_key_secret = \"x\"\n  identity = %q\n}\n", text),
			} {
				w := f.workspace(config)
				w.setenv("TF_LOG=TRACE", "TF_LOG_PATH="+filepath.Join(w.Dir, "trace.log"))
				validated, _ := w.Terraform("validate")
				out, ok := w.Terraform("apply", "-auto-approve")
				if ok {
					t.Errorf("%s: accepted", where)
				}
				log := w.Read("trace.log")
				wantText(t, out+log, "Error: ", "plugin")
				for _, leak := range leaks(validated+out+log, secretLines(text)) {
					t.Errorf("%s: %s", where, leak)
				}
			}
		})
	}
	f.wantWrites()
}
