#include "pipeline/harvest_prepare.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "corpus/facts.h"
#include "corpus/fragment_form.h"
#include "corpus/site_record.h"
#include "ir/facts/value_facts.h"
#include "ir/term.h"

namespace rewrought::pipeline {
namespace {

// The size of the cache, in bytes, at which it is cleared; the same as in corpus/cone_cache.cc.
constexpr size_t kMaxBytes = size_t{32} << 20;

// Returns the weight of a site: a factor of ten for each loop around it, up to three loops.
int64_t LoopWeight(int depth) {
  int64_t weight = 1;
  for (int i = 0; i < std::min(depth, 3); ++i) weight *= 10;
  return weight;
}

uint64_t MultiUseBits(const std::vector<bool>& multi_use) {
  uint64_t bits = 0;
  for (size_t i = 0; i < multi_use.size() && i < 64; ++i) bits |= multi_use[i] ? uint64_t{1} << i : 0;
  return bits;
}

auto OrderOf(const corpus::SiteRecord& site) {
  return std::tie(site.fragment.text, site.node_flags, site.multi_use, site.facts);
}

}  // namespace

const corpus::SiteRecord* ShaderPreparer::SiteOf(const corpus::FragmentPlace& place) {
  const auto [entry, added] = sites_.try_emplace(FormKey(place.form->id, MultiUseBits(place.multi_use)));
  if (!added) return entry->second;
  corpus::Fragment fragment;
  fragment.term = place.form->term;
  fragment.multi_use = place.multi_use;
  absl::StatusOr<corpus::SiteRecord> site = corpus::StoredSite(fragment);
  if (!site.ok()) return nullptr;
  site->count = 0;
  site->lines.clear();
  site->facts.clear();
  const std::string key = absl::StrCat(site->node_flags, " ", site->multi_use, " ", site->fragment.text);
  std::unique_ptr<const corpus::SiteRecord>& stored = stored_[key];
  bytes_ += sizeof(FormKey) + 2 * sizeof(void*);
  if (stored == nullptr) {
    bytes_ += sizeof(corpus::SiteRecord) + key.size() + site->fragment.text.size() + site->fragment.widths.size();
    stored = std::make_unique<corpus::SiteRecord>(*std::move(site));
  }
  return entry->second = stored.get();
}

PreparedShader ShaderPreparer::Prepare(const ir::Shader& shader, const ir::Digest& digest,
                                       const ir::Digest& extraction) {
  if (bytes_ > kMaxBytes) {
    bytes_ = 0;
    sites_.clear();
    stored_.clear();
  }
  PreparedShader prepared;
  prepared.record.digest = digest;
  prepared.record.stage = shader.stage;
  prepared.record.extraction = extraction;
  std::map<std::string, int64_t> notes;
  for (const ir::ShaderNote& note : shader.notes) ++notes[note.text];
  prepared.record.notes.assign(notes.begin(), notes.end());
  for (const ir::Node& node : shader.values.nodes) {
    if (node.kind == ir::NodeKind::kOp) ++prepared.record.alu_instructions;
  }
  const corpus::ShaderFacts facts(shader);
  std::vector<corpus::SiteRecord>& sites = prepared.sites;
  absl::flat_hash_map<std::pair<const corpus::SiteRecord*, std::string>, size_t> places;  // indices into `sites`
  corpus::ForEachFragmentPlace(shader, facts, options_, &cones_, [&](const corpus::FragmentPlace& place) {
    const corpus::SiteRecord* const form = SiteOf(place);
    if (form == nullptr) return;
    const auto [entry, added] = places.try_emplace({form, ir::FactsSummary(place.facts)}, sites.size());
    if (added) {
      sites.push_back(*form);
      sites.back().facts = entry->first.second;
    }
    corpus::SiteRecord& site = sites[entry->second];
    ++site.count;
    site.loop_weight += LoopWeight(place.loop_depth);
    if (site.lines.size() < corpus::kMaxLines) site.lines.push_back(place.line);
  });
  std::sort(sites.begin(), sites.end(),
            [](const corpus::SiteRecord& a, const corpus::SiteRecord& b) { return OrderOf(a) < OrderOf(b); });
  return prepared;
}

}  // namespace rewrought::pipeline
