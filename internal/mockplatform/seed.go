package mockplatform

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// Seed is the initial content of a platform.
type Seed struct {
	// KeyID and KeySecret authenticate at the management API, AccessToken at the
	// alerting API.
	KeyID, KeySecret, AccessToken string

	// ManagementPrefix and AlertingPrefix are the path prefixes of the two APIs,
	// such as "/mgmt". Both may be empty, since the paths differ.
	ManagementPrefix, AlertingPrefix string

	Organizations []Organization
	Alerts        []Document
}

// Organization is one organization and its objects. A service's member "tags" is
// only for filters. A pipe names its service in serviceId.
type Organization struct {
	ID       string
	Services []Document
	Pipes    []Document
}

// The IDs of the built-in seed.
const (
	OrganizationID      = "10000000-0000-4000-8000-000000000001" // has everything below except BeaconServiceID
	OtherOrganizationID = "10000000-0000-4000-8000-000000000002" // has only BeaconServiceID

	ServiceID         = "20000000-0000-4000-8000-000000000001" // "events-eu", first in its warehouse, with three replicas and all pipes
	ReadonlyServiceID = "20000000-0000-4000-8000-000000000002" // "events-eu-readers", second in the same warehouse
	FullServiceID     = "20000000-0000-4000-8000-000000000003" // "ledger-us", with every field that a service can have
	BeaconServiceID   = "20000000-0000-4000-8000-000000000004" // "beacon", the service of the other organization

	KafkaPipeID         = "40000000-0000-4000-8000-000000000001" // "orders"
	ObjectStoragePipeID = "40000000-0000-4000-8000-000000000002" // "clickstream-archive"
	CloudStreamPipeID   = "40000000-0000-4000-8000-000000000003" // "sensor-readings"
	PostgresPipeID      = "40000000-0000-4000-8000-000000000004" // "customers", with three table mappings

	AlertID       = "6650c0ffee00000000000001" // "Ingest lag"
	FiringAlertID = "6650c0ffee00000000000002" // "Error rate", with a fraction as its threshold
)

//go:embed seed
var seedFiles embed.FS

// DefaultSeed returns the built-in seed.
func DefaultSeed() Seed {
	directory, _ := fs.Sub(seedFiles, "seed")
	seed, err := LoadSeed(directory)
	if err != nil {
		panic(err)
	}
	return seed
}

// LoadSeed reads a seed from a directory with the layout in the package
// documentation. An error names the file.
func LoadSeed(directory fs.FS) (Seed, error) {
	credentials, err := readDocument(directory, "credentials.json")
	if err != nil {
		return Seed{}, err
	}
	seed := Seed{
		KeyID:       text(credentials, "keyId"),
		KeySecret:   text(credentials, "keySecret"),
		AccessToken: text(credentials, "accessToken"),
	}
	if seed.KeyID == "" || seed.KeySecret == "" || seed.AccessToken == "" {
		return Seed{}, errors.New("credentials.json: keyId, keySecret and accessToken must be strings that are not empty")
	}
	reader := &seedReader{directory, map[string]string{}}
	organizations, _ := fs.Glob(directory, "organizations/[^.]*")
	for _, name := range organizations {
		organization, err := reader.organization(name)
		if err != nil {
			return Seed{}, err
		}
		seed.Organizations = append(seed.Organizations, organization)
	}
	if len(organizations) == 0 {
		return Seed{}, errors.New("organizations/*/organization.json is missing: a seed has at least one organization")
	}
	seed.Alerts, err = reader.objects("alerts", checkAlert)
	return seed, err
}

// seedReader reads objects and remembers the file of each ID.
type seedReader struct {
	directory fs.FS
	files     map[string]string
}

func (r *seedReader) organization(name string) (Organization, error) {
	doc, err := r.object(name+"/organization.json", checkUUID)
	if err != nil {
		return Organization{}, err
	}
	services, err := r.objects(name+"/services", checkService)
	if err != nil {
		return Organization{}, err
	}
	pipes, err := r.objects(name+"/pipes", func(pipe Document) error {
		if path.Dir(r.files[text(pipe, "serviceId")]) != name+"/services" {
			return fmt.Errorf("serviceId must be the ID of a service in %s/services, got %v", name, pipe["serviceId"])
		}
		return checkUUID(pipe)
	})
	return Organization{ID: text(doc, "id"), Services: services, Pipes: pipes}, err
}

// objects reads the documents in a directory in the order of their file names. A
// missing directory has none.
func (r *seedReader) objects(directory string, check func(Document) error) ([]Document, error) {
	names, _ := fs.Glob(r.directory, directory+"/[^.]*.json")
	var docs []Document
	for _, name := range names {
		doc, err := r.object(name, check)
		if err != nil {
			return nil, err
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func (r *seedReader) object(name string, check func(Document) error) (Document, error) {
	doc, err := readDocument(r.directory, name)
	if err != nil {
		return nil, err
	}
	if err := check(doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	id := text(doc, "id")
	if other, ok := r.files[id]; ok {
		return nil, fmt.Errorf("%s: the ID %s is already used in %s", name, id, other)
	}
	r.files[id] = name
	return doc, nil
}

// checkUUID rejects upper case, since requests look an ID up in lower case.
func checkUUID(doc Document) error {
	if id := text(doc, "id"); !isUUID(id) || id != strings.ToLower(id) {
		return fmt.Errorf("id must be a UUID in lower case, got %v", doc["id"])
	}
	return nil
}

func checkService(doc Document) error {
	tags, valid := doc["tags"].(Document)
	for _, value := range tags {
		_, isText := value.(string)
		valid = valid && isText
	}
	if doc["tags"] != nil && !valid {
		return errors.New("tags must be an object of strings")
	}
	return checkUUID(doc)
}

func checkAlert(doc Document) error {
	if text(doc, "id") == "" {
		return errors.New("id must be a string that is not empty")
	}
	return nil
}

func readDocument(directory fs.FS, name string) (Document, error) {
	content, err := fs.ReadFile(directory, name)
	if err != nil {
		return nil, err
	}
	value, err := decode(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	doc, ok := value.(Document)
	if !ok {
		return nil, fmt.Errorf("%s: not a JSON object", name)
	}
	return doc, nil
}
