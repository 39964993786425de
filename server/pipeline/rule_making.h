// A proved candidate as the record that the store keeps: texts, costs, and the evidence beside the proofs.
#ifndef REWROUGHT_SERVER_PIPELINE_RULE_MAKING_H_
#define REWROUGHT_SERVER_PIPELINE_RULE_MAKING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/float_contract.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "server/pipeline/candidate.h"
#include "server/pipeline/mutants.h"
#include "server/store/records.h"

namespace rewrought::pipeline {

struct RuleEvidence {
  std::vector<ir::DenormMode> modes;  // in which it is proved (for an inexact rule: verified)
  MutantTally mutants;
  std::string solvers;                          // that confirmed it; empty: none did
  std::string encoding;                         // through which vectors agreed; empty: none
  uint64_t vectors = 0;                         // of `encoding`
  std::optional<v1::InexactStatement> inexact;  // makes it an inexact rule
};

// The record of `candidate`, found from the fragment of that digest; run and time are the caller's to set.
store::RuleRecord RecordOfRule(const store::Digest& fragment, const Candidate& candidate, const RuleEvidence& evidence);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_SERVER_PIPELINE_RULE_MAKING_H_
