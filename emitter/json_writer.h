// Reads and writes pack.json and manifest.json, which contain everything known about a pack, including certificates.
// Equal packs produce identical bytes.
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

// Returns a rewrought.v1.Pack as indented JSON with the schema's field names and sorted map keys. Omits the manifest's
// list of files, because that list contains this file's digest. The first line, `"license": "MIT",`, is not a field of
// the schema.
std::string WritePackJson(const v1::Pack& pack);

// Parses the result of WritePackJson. Fails with InvalidArgument if the text is malformed.
absl::StatusOr<v1::Pack> ReadPackJson(absl::string_view text);

// The content of manifest.json.
struct Manifest {
  v1::PackManifest message;
  std::string target;  // NirTarget::name()
  v1::RuleClass rule_class = v1::RULE_CLASS_STRICT;
  std::vector<BlockedRule> blocked;
  uint64_t set_aside = 0;  // The number of rules of the other class.
  std::vector<std::pair<std::string, std::string>> peers;
  PassFacts pass;
};

// Returns a JSON object with the fields of PackManifest and these additional fields: license, target, rule_class,
// counts, peers, blocked (id, rule, reason), and `pass` (tuples, states, table_entries, c_bytes, generation_seconds,
// text_bytes, weights by op). Keys are sorted.
std::string WriteManifestJson(const Pack& pack);

// Parses the result of WriteManifestJson. Fails with InvalidArgument if the text is malformed.
absl::StatusOr<Manifest> ReadManifestJson(absl::string_view text);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_JSON_WRITER_H_
