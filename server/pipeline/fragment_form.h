// Fragments as the store keeps them: a term without flags as rule text; flags, multi-use intermediates and facts beside
// it, per site.
#ifndef REWROUGHT_SERVER_PIPELINE_FRAGMENT_FORM_H_
#define REWROUGHT_SERVER_PIPELINE_FRAGMENT_FORM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "corpus/facts.h"
#include "corpus/fragment.h"
#include "ir/term.h"
#include "server/store/records.h"

namespace rewrought::pipeline {

// Op nodes that flags can be kept of (store::SiteRecord::node_flags: 4 bits each).
inline constexpr size_t kMaxFlaggedOps = 16;

// Op nodes in prefix order from the root, each once, at its first visit. Marks and multi-use intermediates count in
// this order.
std::vector<ir::NodeIndex> OpsInPrefixOrder(const ir::Term& term);

// The fragment with one site: text, flags (exact, nsz, nnan, ninf, from bit 0), multi-use intermediates, facts. Nodes
// that differ in flags alone become one, which has what all of them permit. InvalidArgument: more than kMaxFlaggedOps
// ops.
absl::StatusOr<store::SiteRecord> StoredSite(const corpus::Fragment& fragment);

// The term of a stored text, without flags. InvalidArgument: not a text that StoredSite gives.
absl::StatusOr<ir::Term> TermOfStored(absl::string_view text);

// Sets the flags of the op nodes to those of `node_flags`.
void ApplyNodeFlags(uint64_t node_flags, ir::Term* term);

// The flags that permit only what both permit: exact if one is, a permission if both have it.
uint64_t MeetNodeFlags(uint64_t a, uint64_t b);

// The variables of a term by first occurrence in prefix order, the order of facts.
std::vector<std::string> VariablesInOrder(const ir::Term& term);

// Facts of the variables in words (corpus::FactsText), separated by ';', and back: facts that are at least as weak as
// those that were written. Unknown words say nothing.
std::string FactsSummary(const std::vector<corpus::ValueFacts>& facts);
std::vector<corpus::ValueFacts> ParseFactsSummary(absl::string_view text);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_FRAGMENT_FORM_H_
