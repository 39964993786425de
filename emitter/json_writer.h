// Reads and writes pack.json and manifest.json. They contain everything known about a pack, including certificates, and
// equal packs produce identical bytes.
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

// Returns a rewrought.v1.Pack as indented JSON in protobuf's mapping with the schema's field names and sorted map keys.
// The manifest omits its list of files, which contains this file's digest. The first line is `"license": "MIT",`, which
// is not a field of the schema.
std::string WritePackJson(const v1::Pack& pack);

// Parses the result of WritePackJson. Fails with InvalidArgument if the text is malformed.
absl::StatusOr<v1::Pack> ReadPackJson(absl::string_view text);

// The content of manifest.json, including fields that v1::PackManifest lacks.
struct Manifest {
  v1::PackManifest message;
  std::string target;  // NirTarget::name()
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<BlockedRule> blocked;
  uint64_t set_aside = 0;  // The number of rules of the other class.
  std::vector<std::pair<std::string, std::string>> peers;
  PassFacts pass;
};

// Returns the fields of PackManifest and: license, target, rule_class, counts, peers, blocked (id, rule, reason), and
// the facts of the pass, `pass` (tuples, states, table_entries, c_bytes, generation_seconds, text_bytes, weights by
// op). Keys are sorted.
std::string WriteManifestJson(const Pack& pack);

// Parses the result of WriteManifestJson. Fails with InvalidArgument if the text is malformed.
absl::StatusOr<Manifest> ReadManifestJson(absl::string_view text);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_JSON_WRITER_H_
