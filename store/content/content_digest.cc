#include "store/content/content_digest.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rewrought/v1/rule.pb.h"

namespace rewrought::store {
namespace {

// Digests millions of rows in bounded memory: each piece is digested together with the digest of the previous pieces.
class RowDigest {
 public:
  void Add(const sqlite::Row& row) {
    for (int column = 0; column < row.columns(); ++column) {
      const absl::string_view bytes = row.Bytes(column);
      // Lengths separate the columns unambiguously, and "-" distinguishes NULL from an empty string.
      absl::StrAppend(&piece_, row.IsNull(column) ? "-" : "", bytes.size(), " ", bytes);
    }
    piece_.push_back('\n');
    if (piece_.size() >= kPiece) Close();
  }

  ir::Digest Close() {
    digest_ = ir::Digest::Of(absl::StrCat(digest_.view(), piece_));
    piece_.clear();
    return digest_;
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 20;
  ir::Digest digest_;
  std::string piece_;
};

absl::StatusOr<ir::Digest> DigestOf(Store* store, std::initializer_list<const char*> queries,
                                    std::initializer_list<sqlite::Value> values) {
  RowDigest digest;
  // A single call of Read ensures that all queries see the same state of the database.
  const absl::Status status = store->Read([&](sqlite::Database& reader) {
    for (const char* query : queries) {
      absl::Status read = reader.Query(query, values, [&](const sqlite::Row& row) {
        digest.Add(row);
        return absl::OkStatus();
      });
      if (!read.ok()) return read;
      digest.Close();
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return digest.Close();
}

// These state numbers are stored on disk (records.h).
static_assert(v1::RULE_STATE_NEW == 1 && v1::RULE_STATE_KEPT == 2);

}  // namespace

absl::StatusOr<ir::Digest> CorpusDigest(Store* store) {
  return DigestOf(store,
                  {"SELECT name, held_out FROM sources ORDER BY name",
                   "SELECT digest, stage, alu_instructions, extraction FROM shaders ORDER BY digest",
                   "SELECT digest, sources.name, occurrences.name FROM shaders JOIN occurrences ON shader_id = "
                   "shaders.id JOIN sources ON sources.id = source_id ORDER BY 1, 2, 3"},
                  {});
}

absl::StatusOr<ir::Digest> RulesDigest(Store* store, absl::string_view machine) {
  return DigestOf(store,
                  {"SELECT id, search, replace, program, condition, flags, class, max(state, 2), reason, "
                   "generalised_from, fragment, semantics, detail FROM rules WHERE machine = ?1 ORDER BY id"},
                  {machine});
}

absl::StatusOr<ir::Digest> SavingsDigest(Store* store, absl::string_view machine) {
  // %!.17g prints a real number with enough digits to distinguish it from all others.
  return DigestOf(
      store,
      {"SELECT rule, split, hits, shaders, sources, printf('%!.17g %!.17g %!.17g %!.17g', naive_instructions, "
       "naive_cycles, tuned_instructions, tuned_cycles) FROM measurements WHERE rule IN "
       "(SELECT id FROM rules WHERE machine = ?1) ORDER BY rule, split",
       "SELECT rule, digest, hits, printf('%!.17g %!.17g', saved_instructions, saved_cycles), lines FROM hits "
       "JOIN shaders ON shaders.id = shader_id WHERE rule IN (SELECT id FROM rules WHERE machine = ?1) ORDER BY 1, 2"},
      {machine});
}

absl::StatusOr<ir::Digest> VerdictsDigest(Store* store, absl::string_view machine) {
  return DigestOf(
      store,
      {"SELECT rule, text, semantics, verdict, tier, reason, confirmed_by, witness, certificate FROM verdicts "
       "JOIN strings ON strings.id = case_id WHERE rule IN (SELECT id FROM rules WHERE machine = ?1) ORDER BY 1, 2, 3",
       "SELECT rule, text, semantics FROM contradictions JOIN strings ON strings.id = case_id WHERE rule IN "
       "(SELECT id FROM rules WHERE machine = ?1) ORDER BY 1, 2, 3"},
      {machine});
}

absl::StatusOr<int64_t> AttemptCount(Store* store) {
  int64_t count = 0;
  const absl::Status status = store->Read([&](sqlite::Database& reader) {
    const absl::StatusOr<int64_t> counted = reader.QueryInt("SELECT count(*) FROM attempts");
    if (counted.ok()) count = *counted;
    return counted.status();
  });
  if (!status.ok()) return status;
  return count;
}

}  // namespace rewrought::store
