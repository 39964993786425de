#include "emitter/evidence.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace rewrought::emitter {
namespace {

// Returns "uf" for TIER_UNINTERPRETED, and the lower-case suffix for other tiers.
std::string TierName(v1::Tier tier) {
  if (tier == v1::TIER_UNINTERPRETED) return "uf";
  const std::string name = absl::AsciiStrToLower(v1::Tier_Name(tier));
  return name.substr(std::min<size_t>(5, name.size()));
}

std::string ModeName(v1::DenormMode mode) {
  const std::string name = absl::AsciiStrToLower(v1::DenormMode_Name(mode));
  return name.substr(std::min<size_t>(12, name.size()));
}

// Explains why a second solver's confirmation is missing, and names the remedy.
std::string Unconfirmed(const v1::PackEntry& entry) {
  std::string text = "neither a second solver nor an exhaustive check confirmed it";
  for (const v1::CaseVerdict& proof : entry.proofs()) {
    constexpr absl::string_view kSaid = "not confirmed: ";
    if (!absl::StartsWith(proof.reason(), kSaid)) continue;
    absl::StrAppend(&text, " (in mode ", ModeName(proof.mode()), ": ", proof.reason().substr(kSaid.size()));
    const uint32_t work = proof.certificate().timeout_ms();
    if (work > 0) absl::StrAppend(&text, "; export --work ", 5 * uint64_t{work}, " allows five times as much work");
    return absl::StrCat(text, ")");
  }
  return text;
}

}  // namespace

bool IsConfirmedByEncoding(const v1::PackEntry& entry) {
  return std::any_of(entry.confirmations().begin(), entry.confirmations().end(), [](const v1::Confirmation& one) {
    return one.axis() == v1::Confirmation::AXIS_ENCODING && one.vectors() >= kConfirmingVectors;
  });
}

absl::Status CheckEvidence(const v1::PackEntry& entry, bool require_confirmations) {
  const v1::RewriteRule& rule = entry.rule();
  if (rule.rule_class() != v1::RULE_CLASS_STRICT && rule.rule_class() != v1::RULE_CLASS_INEXACT) {
    return absl::FailedPreconditionError("its class is neither strict nor inexact");
  }
  if (rule.state() == v1::RULE_STATE_REFUTED || rule.state() == v1::RULE_STATE_LOST) {
    return absl::FailedPreconditionError("refuted or lost since it was found");
  }
  if (rule.rule_class() == v1::RULE_CLASS_STRICT) {
    for (const v1::CaseVerdict& proof : entry.proofs()) {
      if (proof.verdict() == v1::VERDICT_PROVED && proof.tier() == v1::TIER_VECTORS) {
        return absl::FailedPreconditionError("test vectors alone are not a proof");
      }
    }
  }
  if (!require_confirmations) return absl::OkStatus();
  const bool exhaustive = entry.proofs_size() > 0 &&
                          std::all_of(entry.proofs().begin(), entry.proofs().end(), [](const v1::CaseVerdict& proof) {
                            return proof.tier() == v1::TIER_EXHAUSTIVE || proof.verdict() != v1::VERDICT_PROVED;
                          });
  bool solver = exhaustive;
  for (const v1::Confirmation& confirmation : entry.confirmations())
    solver = solver || confirmation.axis() == v1::Confirmation::AXIS_SOLVER;
  // Only strict rules require a second solver, because a solver cannot confirm the result bits of an inexact rule.
  if (!solver && rule.rule_class() == v1::RULE_CLASS_STRICT) {
    return absl::FailedPreconditionError(Unconfirmed(entry));
  }
  if (!IsConfirmedByEncoding(entry)) {
    return absl::FailedPreconditionError(
        absl::StrCat("not confirmed by another encoding on ", kConfirmingVectors, " vectors"));
  }
  if (entry.mutants().refuted() == 0) return absl::FailedPreconditionError("none of its mutants was refuted");
  return absl::OkStatus();
}

std::string ProofLine(const v1::PackEntry& entry) {
  std::set<std::string> tiers, confirmed;
  std::map<uint32_t, std::set<v1::DenormMode>> modes;  // Keyed by width.
  for (const v1::CaseVerdict& proof : entry.proofs()) {
    if (proof.verdict() != v1::VERDICT_PROVED) continue;
    tiers.insert(TierName(proof.tier()));
    modes[proof.width()].insert(proof.mode());
  }
  std::map<std::string, std::vector<uint32_t>> widths;  // The widths that have the same modes, keyed by the modes.
  for (const auto& [width, its_modes] : modes) {
    std::string names;
    for (const v1::DenormMode mode : its_modes) {
      if (mode != v1::DENORM_MODE_NONE) absl::StrAppend(&names, names.empty() ? " in " : " ", ModeName(mode));
    }
    widths[names].push_back(width);
  }
  std::vector<std::string> where;
  for (const auto& [names, its_widths] : widths) where.push_back(absl::StrCat(absl::StrJoin(its_widths, " "), names));
  for (const v1::Confirmation& confirmation : entry.confirmations()) confirmed.insert(confirmation.by());
  const v1::RewriteRule& rule = entry.rule();
  std::string line = rule.rule_class() == v1::RULE_CLASS_INEXACT
                         ? "equal over the reals only"
                         : absl::StrCat("proved (", absl::StrJoin(tiers, ", "), ") at ", absl::StrJoin(where, ", "));
  if (!confirmed.empty()) absl::StrAppend(&line, "; confirmed by ", absl::StrJoin(confirmed, ", "));
  for (const v1::RuleMeasurement& measured : rule.measurements()) {
    const bool held_out = measured.split() == v1::CORPUS_SPLIT_HELD_OUT;
    absl::StrAppend(&line, "; ", measured.hits(), " hits in ", measured.shaders(), " shaders",
                    held_out ? absl::StrCat(" held out, ", measured.tuned_saved_cycles(), " cycles saved") : "");
  }
  // Names are untrusted and must not end a comment line.
  for (char& c : line) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  return line;
}

}  // namespace rewrought::emitter
