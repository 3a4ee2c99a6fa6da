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
	// such as "/mgmt", with no slash at the end. Both may be empty, since the paths differ.
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
	names, _ := fs.Glob(directory, "organizations/[^.]*/organization.json")
	if len(names) == 0 {
		return Seed{}, errors.New("organizations/*/organization.json is missing: a seed has at least one organization")
	}
	for _, name := range names {
		own := path.Dir(name)
		organization, err := readObjects(directory, name)
		services, servicesErr := readObjects(directory, own+"/services/[^.]*.json")
		pipes, pipesErr := readObjects(directory, own+"/pipes/[^.]*.json")
		if err := errors.Join(err, servicesErr, pipesErr); err != nil {
			return Seed{}, err
		}
		seed.Organizations = append(seed.Organizations, Organization{ID: text(organization[0], "id"), Services: services, Pipes: pipes})
	}
	seed.Alerts, err = readObjects(directory, "alerts/[^.]*.json")
	return seed, err
}

// readObjects reads the documents that a pattern matches, in the order of their names.
func readObjects(directory fs.FS, pattern string) (docs []Document, err error) {
	names, _ := fs.Glob(directory, pattern)
	for _, name := range names {
		doc, errRead := readDocument(directory, name)
		id := text(doc, "id")
		switch isAlert := strings.HasPrefix(name, "alerts/"); {
		case errRead != nil:
			err = errors.Join(err, errRead)
		case isAlert && id == "":
			err = errors.Join(err, fmt.Errorf("%s: id must be a string that is not empty, got %v", name, doc["id"]))
		case !isAlert && (!isUUID(id) || id != strings.ToLower(id)): // requests look it up in lower case
			err = errors.Join(err, fmt.Errorf("%s: id must be a UUID in lower case, got %v", name, doc["id"]))
		}
		docs = append(docs, doc)
	}
	return docs, err
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
