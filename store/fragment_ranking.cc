#include "store/fragment_ranking.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "store/columns.h"
#include "store/sites/site_sql.h"

namespace rewrought::store {
namespace {

using sqlite::Database;
using sqlite::Row;

// States whether a shader belongs to the split, and lists its sources, which are numbered from 0.
struct ShaderUse {
  bool in_split = false;
  std::vector<size_t> sources;  // only sources that belong to the split
};

// The shaders by sites_key. The keys and the ids of sources come from the database, so they are not used as indexes.
using ShaderUses = absl::flat_hash_map<int64_t, ShaderUse>;

// Returns the shaders, without stale keys.
absl::StatusOr<ShaderUses> ReadShaders(Database& reader, bool held_out) {
  ShaderUses shaders;
  absl::flat_hash_map<int64_t, size_t> sources;
  absl::Status status = reader.Query(
      "SELECT sites_key, p.held_out, source_id, sources.held_out FROM shaders JOIN shader_splits p ON p.shader_id = "
      "shaders.id JOIN occurrences o ON o.shader_id = shaders.id JOIN sources ON sources.id = source_id",
      {}, [&](const Row& row) {
        ShaderUse& shader = shaders[row.Int(0)];
        shader.in_split = (row.Int(1) != 0) == held_out;
        const size_t source = sources.try_emplace(row.Int(2), sources.size()).first->second;
        if ((row.Int(3) != 0) == held_out) shader.sources.push_back(source);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return shaders;
}

// Returns the fragments that the query omits because they have an attempt.
absl::StatusOr<absl::flat_hash_set<int64_t>> ReadTried(Database& reader, const FragmentQuery& query) {
  absl::flat_hash_set<int64_t> tried;
  if (!query.untried.has_value()) return tried;
  const auto least = static_cast<int>(query.retry_cut_short ? AttemptOutcome::kNothing : AttemptOutcome::kCutShort);
  absl::Status status = reader.Query(
      "SELECT fragment_id FROM attempts WHERE machine_id = (SELECT id FROM strings WHERE text = ?1) AND semantics = ?2 "
      "AND search = ?3 AND outcome >= ?4",
      {query.untried->machine, ToBlob(query.untried->semantics), ToBlob(query.untried->search), least},
      [&](const Row& row) {
        tried.insert(row.Int(0));
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  return tried;
}

struct Counted {
  int64_t id = 0, sources = 0, shaders = 0, sites = 0, loop_weight = 0;
  ir::Digest digest;
};

// Counts the sources, shaders, and sites of fragments. The rows of a fragment must be added consecutively, in key
// order.
class Counter {
 public:
  explicit Counter(ShaderUses shaders) : shaders_(std::move(shaders)) {}

  void Add(const Row& block, const SiteRow& row) {
    if (fragments_.empty() || fragments_.back().id != block.Int(0)) {
      fragments_.push_back({.id = block.Int(0), .digest = ToDigest(block.Bytes(3))});
      last_key_ = -1;
    }
    const auto found = shaders_.find(row.key);
    if (found == shaders_.end()) return;
    const ShaderUse& shader = found->second;
    Counted& fragment = fragments_.back();
    if (row.key != std::exchange(last_key_, row.key)) {
      fragment.shaders += shader.in_split ? 1 : 0;
      for (const size_t source : shader.sources) {
        if (seen_in_.size() <= source) seen_in_.resize(source + 1, -1);
        fragment.sources += std::exchange(seen_in_[source], fragment.id) != fragment.id ? 1 : 0;
      }
    }
    if (!shader.in_split) return;
    fragment.sites += row.count;
    fragment.loop_weight += row.loop_weight;
  }

  std::vector<Counted> Take() { return std::move(fragments_); }

 private:
  const ShaderUses shaders_;
  std::vector<Counted> fragments_;
  std::vector<int64_t> seen_in_;  // for each source, the last fragment seen in it
  int64_t last_key_ = -1;
};

absl::StatusOr<std::vector<Counted>> CountFragments(Database& reader, const FragmentQuery& query) {
  absl::StatusOr<ShaderUses> shaders = ReadShaders(reader, query.split == Split::kHeldOut);
  if (!shaders.ok()) return shaders.status();
  const absl::StatusOr<absl::flat_hash_set<int64_t>> tried = ReadTried(reader, query);
  if (!tried.ok()) return tried.status();
  Counter counter(*std::move(shaders));
  const absl::Status read = ForEachSiteRow(
      reader,
      "SELECT f.id, first_key, rows, digest FROM fragments f CROSS JOIN site_blocks b ON b.fragment_id = f.id "
      "WHERE nodes <= ?1 ORDER BY f.id, first_key",
      {query.max_nodes}, [&](const Row& block, const SiteRow& row) {
        counter.Add(block, row);
        return absl::OkStatus();
      });
  if (!read.ok()) return read;
  std::vector<Counted> fragments = counter.Take();
  std::erase_if(fragments, [&](const Counted& fragment) {
    return fragment.shaders < std::max<int64_t>(query.min_shaders, 1) || tried->contains(fragment.id);
  });
  std::sort(fragments.begin(), fragments.end(), [](const Counted& a, const Counted& b) {
    return std::tie(b.sources, b.shaders, b.sites, a.digest) < std::tie(a.sources, a.shaders, a.sites, b.digest);
  });
  if (query.limit >= 0 && fragments.size() > static_cast<size_t>(query.limit)) {
    fragments.resize(static_cast<size_t>(query.limit));
  }
  return fragments;
}

}  // namespace

absl::Status RankFragments(Database& reader, const FragmentQuery& query,
                           absl::FunctionRef<absl::Status(const FragmentSummary&)> visit) {
  const absl::StatusOr<std::vector<Counted>> fragments = CountFragments(reader, query);
  if (!fragments.ok()) return fragments.status();
  for (const Counted& fragment : *fragments) {
    const absl::Status status = reader.Query(
        "SELECT text, nodes, variables, widths FROM fragments WHERE id = ?1", {fragment.id}, [&](const Row& row) {
          return visit({fragment.digest,
                        {row.String(0), CountOf(row, 1), CountOf(row, 2), row.String(3)},
                        fragment.sources,
                        fragment.shaders,
                        fragment.sites,
                        fragment.loop_weight});
        });
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace rewrought::store
