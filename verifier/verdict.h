// The verifier's verdict about a case of a rule, and its evidence.
#ifndef REWROUGHT_VERIFIER_VERDICT_H_
#define REWROUGHT_VERIFIER_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/evaluate.h"
#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::verifier {

struct WitnessVariable {
  std::string name;
  int bits = 32;
  uint64_t value = 0;
};

// Inputs on which the search does not allow the replacement's result. `replace` has one value per root component.
struct Witness {
  std::vector<WitnessVariable> variables;
  std::vector<uint64_t> replace;
  int root_bits = 32;
  ir::AllowedSet search;
  std::vector<uint64_t> replace_choices;  // the choices that produced `replace`
};

struct CertificatePart;

// The evidence behind a proof, sufficient to restate its query from the rule (verifier/certificate.h).
struct Certificate {
  v1::Tier kind = v1::TIER_UNSPECIFIED;
  // One entry per copy of the search side: the values of its choices, as text (verifier/certificate.h).
  std::vector<std::string> copies;
  std::vector<std::pair<std::string, int>> lemmas;  // names and instance counts
  std::string query;                                // SMT-LIB text; empty for TIER_CANONICAL and TIER_EXHAUSTIVE
  std::string query_digest;                         // SHA-256, hex
  std::string semantics_digest;
  std::string solver;       // name and version
  uint32_t timeout_ms = 0;  // the query's budget, work_ms (verifier/budget.h)
  double milliseconds = 0;
  // For TIER_CASE_SPLIT, one part per combination of values, in the order of verifier/case_split.h.
  std::vector<CertificatePart> parts;
  // The proof of each case in which nodes of the search match the same instruction, in the order of
  // verifier/mesa/coincidence.h. The kind is unspecified if no input meets the preconditions of the case.
  std::vector<Certificate> coinciding;
};

// The kind of `certificate` is unspecified if no input satisfies the part's preconditions.
struct CertificatePart {
  std::vector<std::pair<std::string, uint64_t>> values;  // of the split variables
  Certificate certificate;
};

struct CaseResult {
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;
  v1::Tier tier = v1::TIER_UNSPECIFIED;
  std::string reason;
  // For a refuted case: 0, or k if the witness belongs to the k-th case of CoincidingCases.
  size_t coincidence = 0;
  std::vector<std::string> confirmed_by;
  std::optional<Witness> witness;
  std::optional<Certificate> certificate;
  double milliseconds = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_VERDICT_H_
