package provider

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// lifeSpec is all that a life depends on.
type lifeSpec struct {
	seed     uint64
	kind     string // of source, or "scaling"
	leaves   []string
	features []string
	steps    []lifeStep
}

type lifeStep struct {
	name string
	seed uint64
}

func (s lifeSpec) String() string {
	var steps []string
	for _, step := range s.steps {
		steps = append(steps, fmt.Sprintf("%s/%d", step.name, step.seed))
	}
	return fmt.Sprintf("seed %d: %s, leaves %v, platform %v, steps %v", s.seed, s.kind, s.leaves, s.features, steps)
}

var lifeKinds = []string{"kafka", "object_storage", "cloud_stream", "postgres", "postgres", "postgres", "scaling"}

// lifeSteps are the steps there are, as often as they are to be.
var lifeSteps = map[string]int{
	"change": 16, "drift": 12, "console": 8, "saved": 8, "norefresh": 5, "adopt": 4, "import": 4, "ignore": 5,
	"unknown": 8, "fault": 12, "once": 6, "refresh": 4, "destroy": 2, "omit": 3, "kind": 2, "plan": 2, "renew": 3,
}

func newLifeSpec(seed uint64) lifeSpec {
	r := rand.New(rand.NewPCG(seed, 1))
	spec := lifeSpec{seed: seed, kind: lifeKinds[r.IntN(len(lifeKinds))]}
	var own, general []lifeLeaf
	for _, leaf := range spec.drawn() {
		if strings.HasPrefix(leaf.path, "source.") {
			own = append(own, leaf)
		} else {
			general = append(general, leaf)
		}
	}
	r.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	r.Shuffle(len(general), func(i, j int) { general[i], general[j] = general[j], general[i] })
	pool := slices.Concat(own[:min(len(own), 1+r.IntN(3))], general[:1+r.IntN(4)])
	if spec.kind == "postgres" && r.IntN(5) > 0 && !slices.ContainsFunc(pool, func(l lifeLeaf) bool { return l.path == mappingsPath }) {
		pool = append(pool, lifeLeaf{path: mappingsPath})
	}
	for _, leaf := range pool {
		spec.leaves = append(spec.leaves, leaf.path)
	}
	spec.features = randomFeatures(r, pool)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(lifeSteps)) {
		names = append(names, slices.Repeat([]string{name}, lifeSteps[name])...)
	}
	if seed >= movingSeeds {
		spec.features = append(spec.features, laterFeatures(r, pool, spec.features)...)
		names = append(names, slices.Repeat([]string{"move"}, 10)...)
	}
	for range 5 + r.IntN(10) {
		spec.steps = append(spec.steps, lifeStep{names[r.IntN(len(names))], r.Uint64() % 1_000_000})
	}
	return spec
}

func (s lifeSpec) resource() lifeType {
	if s.kind == "scaling" {
		return lifeTypeOf("dataplatform_service_scaling")
	}
	return lifeTypeOf("dataplatform_pipe")
}

// idName is the attribute with the object's own ID.
func (s lifeSpec) idName() string {
	if s.kind == "scaling" {
		return "service_id"
	}
	return "pipe_id"
}

// objects are those that a life may move to: its own, another one of its kind, and one of
// another kind. Services have no kinds, and memory limits of others may not fit.
func (s lifeSpec) objects() []string {
	const sibling = "50000000-0000-4000-8000-000000000005"
	switch s.kind {
	case "scaling":
		return []string{mockplatform.ServiceID, sibling, sibling}
	case "kafka":
		return []string{pipeOfKind[s.kind], sibling, mockplatform.CloudStreamPipeID}
	default:
		return []string{pipeOfKind[s.kind], sibling, mockplatform.KafkaPipeID}
	}
}

// Lives from movingSeeds on may move to other objects, and have the features of
// laterFeatures: another step or feature would turn the lives before into others.
const movingSeeds = 1_000_000

// recordedSeeds is above every seed that is written down.
const recordedSeeds = 2_000_000

// recordedLeaves are the leaves that the lives of recorded seeds draw from. A new
// attribute would turn each of them into another life. Random lives draw from all.
var recordedLeaves = strings.Fields(`
	destination.columns field_mappings name settings.engine_max_download_threads
	settings.engine_max_insert_threads settings.engine_max_threads
	settings.engine_min_insert_block_size_bytes settings.engine_parallel_distributed_insert_select
	settings.engine_parallel_view_processing settings.object_storage_concurrency
	settings.object_storage_max_file_count settings.object_storage_max_insert_bytes
	settings.object_storage_polling_interval_ms settings.object_storage_use_cluster_function
	settings.streaming_max_insert_wait_ms source.cloud_stream.iam_role source.kafka.ca_certificate
	source.kafka.iam_role source.kafka.reverse_private_endpoint_ids
	source.object_storage.azure_container_name source.object_storage.iam_role source.object_storage.path
	source.postgres.database source.postgres.host source.postgres.port
	source.postgres.settings.pull_batch_size source.postgres.settings.sync_interval_seconds
	source.postgres.table_mappings idle_scaling idle_timeout_minutes max_total_memory_gb min_total_memory_gb
	num_replicas
`)

// drawn are the leaves that a life draws from.
func (s lifeSpec) drawn() []lifeLeaf {
	all := s.all()
	if s.seed < recordedSeeds {
		all = slices.DeleteFunc(all, func(leaf lifeLeaf) bool { return !slices.Contains(recordedLeaves, leaf.path) })
	}
	return all
}

// all are the leaves that the object may have.
func (s lifeSpec) all() []lifeLeaf {
	return slices.DeleteFunc(s.resource().schema.leaves(""), func(leaf lifeLeaf) bool {
		return strings.HasPrefix(leaf.path, "source.") && !strings.HasPrefix(leaf.path, "source."+s.kind+".")
	})
}

// livesThatTaught are seeds of lives that found something once, each another
// thing. They are in the normal run, with the first few seeds there are.
var livesThatTaught = []uint64{
	1034, // a PATCH answer without a field that was told as empty
	1042, // a remapping in a correction
	2400, // members of mappings that PATCH answers omit
	2195, // credentials in a correction
	5060, // a value that reads omit until it is set, and after it is emptied
	6303,
	4, 1095,
	1008, 1132, // validate_samples that comes or goes beside an unknown value that turns out to be no change
	2059, 5233, // mappings that are emptied on the platform before a read has told what was sent
	5929,  // a correction after a lost response
	20151, // members of list elements that a response omits because they are empty
}

const firstLives = 15
