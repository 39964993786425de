// pack.json and manifest.json: everything that is known of a pack, certificates included, the same bytes for the same
// pack.
#ifndef REWROUGHT_EMITTER_JSON_WRITER_H_
#define REWROUGHT_EMITTER_JSON_WRITER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "emitter/pack.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::emitter {

// A rewrought.v1.Pack as indented JSON (protobuf's mapping, the schema's field names), keys of maps sorted; its
// manifest without the list of files, which names this file's digest. First stands `"license": "MIT",`, which is no
// field of the schema.
std::string WritePackJson(const v1::Pack& pack);

// The inverse; InvalidArgument for text that is not such a pack.
absl::StatusOr<v1::Pack> ReadPackJson(absl::string_view text);

// What manifest.json says beyond v1::PackManifest.
struct Manifest {
  v1::PackManifest message;
  std::string target;  // NirTarget::name()
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<BlockedRule> blocked;
  uint64_t set_aside = 0;  // rules of the other class
  std::vector<std::pair<std::string, std::string>> peers;
  PassFacts pass;
};

// The fields of PackManifest, and: license, target, rule_class, counts, peers, blocked (id, rule, reason), and of the
// pass that the NIR rules make `pass` (tuples, states, table_entries, c_bytes, generation_seconds, text_bytes, weights
// by op). Keys are sorted.
std::string WriteManifestJson(const Pack& pack);

// The inverse; InvalidArgument for text that is not such a manifest.
absl::StatusOr<Manifest> ReadManifestJson(absl::string_view text);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_JSON_WRITER_H_
