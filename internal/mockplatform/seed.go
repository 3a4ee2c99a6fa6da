package mockplatform

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// Seed is what a platform starts with.
type Seed struct {
	// KeyID and KeySecret open the management API, AccessToken the alerting API.
	KeyID, KeySecret, AccessToken string

	// ManagementPrefix and AlertingPrefix are the path prefixes, such as
	// "/mgmt", under which the two APIs live. Both may be empty: the paths of
	// the two don't collide.
	ManagementPrefix, AlertingPrefix string

	Organizations []Organization
	Alerts        []Document
}

// Organization is one organization and what it owns. A service's member "tags"
// is for filters only. A pipe names its service in serviceId.
type Organization struct {
	ID       string
	Services []Document
	Pipes    []Document
}

// The IDs of the built-in seed.
const (
	OrganizationID      = "10000000-0000-4000-8000-000000000001" // owns everything below but BeaconServiceID
	OtherOrganizationID = "10000000-0000-4000-8000-000000000002" // owns BeaconServiceID alone

	ServiceID         = "20000000-0000-4000-8000-000000000001" // "events-eu", first in its warehouse, with three replicas; owns the pipes
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
	folder, _ := fs.Sub(seedFiles, "seed")
	seed, err := LoadSeed(folder)
	if err != nil {
		panic(err)
	}
	return seed
}

// LoadSeed reads a seed from a folder, laid out as the package documentation
// says.
func LoadSeed(fsys fs.FS) (Seed, error) {
	credentials, err := readDocument(fsys, "credentials.json")
	if err != nil {
		return Seed{}, err
	}
	seed := Seed{
		KeyID:       text(credentials, "keyId"),
		KeySecret:   text(credentials, "keySecret"),
		AccessToken: text(credentials, "accessToken"),
	}
	files, _ := fs.Glob(fsys, "organizations/*/organization.json")
	if len(files) == 0 {
		return Seed{}, errors.New("no organizations/*/organization.json")
	}
	for _, file := range files {
		organization, err := loadOrganization(fsys, path.Dir(file))
		if err != nil {
			return Seed{}, err
		}
		seed.Organizations = append(seed.Organizations, organization)
	}
	seed.Alerts, err = readDocuments(fsys, "alerts")
	return seed, err
}

func loadOrganization(fsys fs.FS, folder string) (Organization, error) {
	doc, err := readDocument(fsys, path.Join(folder, "organization.json"))
	services, servicesErr := readDocuments(fsys, path.Join(folder, "services"))
	pipes, pipesErr := readDocuments(fsys, path.Join(folder, "pipes"))
	return Organization{ID: text(doc, "id"), Services: services, Pipes: pipes}, errors.Join(err, servicesErr, pipesErr)
}

// readDocuments reads a folder's documents in the order of their file names, as
// Glob returns them. A missing folder has none.
func readDocuments(fsys fs.FS, folder string) ([]Document, error) {
	names, err := fs.Glob(fsys, path.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var docs []Document
	for _, name := range names {
		doc, err := readDocument(fsys, name)
		if err != nil {
			return nil, err
		}
		if text(doc, "id") == "" {
			return nil, fmt.Errorf("%s: no id", name)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}

func readDocument(fsys fs.FS, name string) (Document, error) {
	content, err := fs.ReadFile(fsys, name)
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
