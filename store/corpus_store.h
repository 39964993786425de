// The stored corpus: sources, shaders (each distinct content once), fragments, and their sites.
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

// All functions can also fail with the errors of Store::Write and Store::Read. A callback that returns an error ends
// the iteration, and the function returns that error.
class CorpusStore {
 public:
  explicit CorpusStore(Store* store) : store_(store) {}

  // Creates a source or changes its `held_out` mark. A shader belongs to the discovery split if any of its sources is
  // not held out.
  absl::Status PutSource(absl::string_view name, bool held_out);

  // Returns whether the shader's fragments are stored under the extraction digest `extraction`. If so, the shader need
  // not be read again.
  absl::StatusOr<bool> HasShader(const ir::Digest& shader, const ir::Digest& extraction);

  // Records that a stored shader also occurs in `occurrence`. Fails with NotFound if the shader or the source is not
  // stored.
  absl::Status AddOccurrence(const ir::Digest& shader, const Occurrence& occurrence);

  // Stores a shader with all of its fragments. If the shader is already stored under this extraction, adds only the
  // occurrence. If it is stored under another extraction, replaces its notes and sites. The old sites become invisible
  // immediately, and DropStaleSites frees their space. Fails with NotFound if the source is not stored, and with
  // AlreadyExists if two sites have the same text, flags, multi-use intermediates, and facts.
  absl::Status PutShader(const ShaderRecord& shader, const Occurrence& occurrence,
                         absl::Span<const corpus::SiteRecord> sites);

  // GetShader and Occurrences fail with NotFound if the shader is not stored. Occurrences are sorted by source, then by
  // name.
  absl::StatusOr<ShaderRecord> GetShader(const ir::Digest& shader);
  absl::StatusOr<std::vector<Occurrence>> Occurrences(const ir::Digest& shader);

  // Visits at most `limit` shaders of a split in ascending order of their digests, starting after the digest `after`,
  // or at the beginning if `after` is nullopt.
  absl::Status ForEachShader(Split split, const std::optional<ir::Digest>& after, int64_t limit,
                             absl::FunctionRef<absl::Status(const ShaderRecord&)> visit);

  // Visits fragments in descending order of their numbers of sources, shaders, and sites, then in ascending order of
  // digests. The numbers refer to the query's split.
  using FragmentQuery = store::FragmentQuery;
  absl::Status ForEachFragment(const FragmentQuery& query,
                               absl::FunctionRef<absl::Status(const FragmentSummary&)> visit);

  // Visits the sites of a fragment in a split's shaders, sorted by shader, flags, multi-use intermediates, and facts.
  absl::Status ForEachSite(const ir::Digest& fragment, Split split,
                           absl::FunctionRef<absl::Status(const SiteView&)> visit);

  struct Counts {
    int64_t sources = 0, shaders = 0, fragments = 0, sites = 0;  // `sites` is the sum of the counts of all sites
  };
  absl::StatusOr<Counts> Count();

  // Frees the space of the sites that PutShader has replaced since the last call. Reads all sites if any were replaced.
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
