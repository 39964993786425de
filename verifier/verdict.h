// What the verifier says of one case of a rule, and what it shows for it.
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

// Inputs on which the replacement gives what the search does not allow. `replace` has one value per root component.
struct Witness {
  std::vector<WitnessVariable> variables;
  std::vector<uint64_t> replace;
  int root_bits = 32;
  ir::AllowedSet search;
  std::vector<uint64_t> replace_choices;  // the replacement's choices that gave `replace`
};

struct CertificatePart;

// What a proof rests on, enough to state its query again from the rule (verifier/certificate.h).
struct Certificate {
  v1::Tier kind = v1::TIER_UNSPECIFIED;
  // One entry per copy of the search side: the values that its choices took, as text (verifier/certificate.h).
  std::vector<std::string> copies;
  std::vector<std::pair<std::string, int>> lemmas;  // with the number of instances
  std::string query;                                // SMT-LIB text; empty for kCanonical and kExhaustive
  std::string query_digest;                         // SHA-256, hex
  std::string semantics_digest;
  std::string solver;       // name and version
  uint32_t timeout_ms = 0;  // the query's budget, work_ms (verifier/budget.h)
  double milliseconds = 0;
  std::vector<CertificatePart>
      parts;  // kCaseSplit: one per combination of values, in the order of verifier/case_split.h
};

// One part of a case that was split. `certificate` has kind kNone where no input meets the preconditions of the part.
struct CertificatePart {
  std::vector<std::pair<std::string, uint64_t>> values;  // of the variables split on
  Certificate certificate;
};

struct CaseResult {
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;
  v1::Tier tier = v1::TIER_UNSPECIFIED;
  std::string reason;
  std::vector<std::string> confirmed_by;
  std::optional<Witness> witness;
  std::optional<Certificate> certificate;
  double milliseconds = 0;
};

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_VERDICT_H_
