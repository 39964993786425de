// A proved candidate as the record that the store keeps: texts, costs, and the evidence beside the proofs.
#ifndef REWROUGHT_SERVER_PIPELINE_RULE_RECORD_H_
#define REWROUGHT_SERVER_PIPELINE_RULE_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "ir/float_contract.h"
#include "machine/candidate.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "server/store/records.h"
#include "verifier/oracle/mutants.h"

namespace rewrought::pipeline {

struct RuleEvidence {
  std::vector<ir::DenormMode> modes;  // in which it is proved (for an inexact rule: verified)
  verifier::MutantTally mutants;
  std::string solvers;                          // that confirmed it; empty: none did
  std::string encoding;                         // through which vectors agreed; empty: none
  uint64_t vectors = 0;                         // of `encoding`
  std::optional<v1::InexactStatement> inexact;  // makes it an inexact rule
};

// The record of `candidate`, found from the fragment of that digest; run and time are the caller's to set.
store::RuleRecord RecordOfRule(const ir::Digest& fragment, const machine::Candidate& candidate,
                               const RuleEvidence& evidence);

// The candidate that a stored rule says. InvalidArgument: its texts do not parse; NotFound: its machine is unknown.
absl::StatusOr<machine::Candidate> CandidateOfRecord(const store::RuleRecord& record);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_RULE_RECORD_H_
