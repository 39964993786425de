// The corpus as stored: sources, shaders by content, fragments and where they stand.
#ifndef REWROUGHT_STORE_CORPUS_STORE_H_
#define REWROUGHT_STORE_CORPUS_STORE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "store/fragment_ranking.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::store {

// All functions give the errors of Store::Write and Store::Read; further ones are named. Callbacks end an iteration
// early by an error, which is returned.
class CorpusStore {
 public:
  explicit CorpusStore(Store* store) : store_(store) {}

  // Makes a source or changes its mark. Shaders that occur in any source that is not held out belong to discovery.
  absl::Status PutSource(absl::string_view name, bool held_out);

  // Whether this content's fragments are stored as `extraction` gives them: then reading it again is needless.
  absl::StatusOr<bool> HasShader(const ir::Digest& shader, const ir::Digest& extraction);

  // Notes that a stored shader also occurs here. NotFound: no such shader, or no such source.
  absl::Status AddOccurrence(const ir::Digest& shader, const Occurrence& occurrence);

  // Stores a shader with all of its fragments. If it is stored under this extraction, only the occurrence is new; under
  // another one, notes and sites are replaced: nobody sees the old ones any more, and DropStaleSites frees their room.
  // NotFound: the occurrence's source. AlreadyExists: two sites are equal in text, flags, multi-use intermediates and
  // facts.
  absl::Status PutShader(const ShaderRecord& shader, const Occurrence& occurrence,
                         absl::Span<const corpus::SiteRecord> sites);

  // NotFound: no such shader. Occurrences are sorted by source, then name.
  absl::StatusOr<ShaderRecord> GetShader(const ir::Digest& shader);
  absl::StatusOr<std::vector<Occurrence>> Occurrences(const ir::Digest& shader);

  // Shaders of a split, by digest, after `after` (none: from the start), at most `limit`.
  absl::Status ForEachShader(Split split, const std::optional<ir::Digest>& after, int64_t limit,
                             absl::FunctionRef<absl::Status(const ShaderRecord&)> visit);

  // Fragments by number of sources, shaders, sites (all falling), then digest. The counts are of the query's split.
  using FragmentQuery = store::FragmentQuery;
  absl::Status ForEachFragment(const FragmentQuery& query,
                               absl::FunctionRef<absl::Status(const FragmentSummary&)> visit);

  // The sites of a fragment in a split's shaders, by shader, flags, multi-use intermediates, facts.
  absl::Status ForEachSite(const ir::Digest& fragment, Split split,
                           absl::FunctionRef<absl::Status(const SiteView&)> visit);

  struct Counts {
    int64_t sources = 0, shaders = 0, fragments = 0, sites = 0;  // sites: sum of their counts
  };
  absl::StatusOr<Counts> Count();

  // Frees the room of sites of shaders that were cut anew since the last call; reads all sites if there are any.
  absl::Status DropStaleSites();

 private:
  absl::StatusOr<int64_t> FragmentId(sqlite::Database& writer, const corpus::FragmentRecord& fragment);
  absl::Status PutSites(sqlite::Database& writer, int64_t key, absl::Span<const corpus::SiteRecord> sites);
  absl::Status PutContent(sqlite::Database& writer, const ShaderRecord& shader,
                          absl::Span<const corpus::SiteRecord> sites);

  Store* store_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_CORPUS_STORE_H_
