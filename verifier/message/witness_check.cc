#include "verifier/message/witness_check.h"

#include <google/protobuf/util/message_differencer.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/scalar.h"
#include "verifier/mesa/coincidence.h"
#include "verifier/message/explain.h"
#include "verifier/message/verdict_message.h"
#include "verifier/vectors.h"

namespace rewrought::verifier {
namespace {

// Returns the value of each input of the Dag. Accepts only the notation of FormatHex.
absl::StatusOr<std::vector<uint64_t>> InputsOf(const ir::Dag& dag, const v1::Witness& witness) {
  std::vector<uint64_t> inputs;
  for (const ir::Input& input : dag.inputs()) {
    const auto found = witness.vars().find(input.name);
    uint64_t value = 0;
    if (found == witness.vars().end()) {
      return absl::InvalidArgumentError(absl::StrCat("the witness has no value for ", input.name));
    }
    if (!absl::SimpleHexAtoi(found->second, &value) || FormatHex(value, input.width) != found->second) {
      return absl::InvalidArgumentError(absl::StrCat("the witness's value for ", input.name, ", \"",
                                                     absl::CHexEscape(found->second), "\", is not a ", input.width,
                                                     "-bit hex number"));
    }
    inputs.push_back(value);
  }
  if (inputs.size() != static_cast<size_t>(witness.vars_size())) {
    return absl::InvalidArgumentError("the witness has a value for an input that the rule does not have");
  }
  return inputs;
}

absl::Status CheckAt(const RuleCase& rule_case, const v1::Witness& witness) {
  const absl::StatusOr<std::unique_ptr<PreparedCase>> prepared = PreparedCase::Create(rule_case);
  if (!prepared.ok()) return prepared.status();
  const absl::StatusOr<std::vector<uint64_t>> inputs = InputsOf((*prepared)->dag(), witness);
  if (!inputs.ok()) return inputs.status();
  if (static_cast<size_t>(witness.replace_choices_size()) > (*prepared)->replace().choices.size()) {
    return absl::InvalidArgumentError("the witness has more choices than the replacement");
  }
  const std::vector<uint64_t> choices(witness.replace_choices().begin(), witness.replace_choices().end());
  PointOutcome point = VerifyPoint(**prepared, *inputs, choices);
  if (!point.admitted) return absl::FailedPreconditionError("the witness does not meet the rule's preconditions");
  if (point.copy.has_value()) {
    return absl::FailedPreconditionError("the search side allows the replacement's result at the witness");
  }
  const bool decided = point.witness.has_value();
  CaseResult evaluated;
  if (decided) {
    evaluated.witness = std::move(point.witness);
  } else {
    evaluated.witness.emplace().replace = std::move(point.replace);
    evaluated.witness->root_bits = (*prepared)->root_bits();
  }
  const v1::Witness found = CaseProto(rule_case.search, rule_case.mode, evaluated, "").witness();
  if (decided ? google::protobuf::util::MessageDifferencer::Equals(found, witness)
              : found.replace() == witness.replace()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat("the witness states ", witness.ShortDebugString(),
                                                    ", but evaluation gives ", found.ShortDebugString()));
}

}  // namespace

absl::Status CheckWitness(const RuleCase& rule_case, const v1::Witness& witness) {
  absl::Status status = CheckAt(rule_case, witness);
  if (status.ok()) return status;
  // The prover omits the root's unknown flags if they do not matter.
  const absl::Status plain = CheckAt(WithNamedFlagsOnly(rule_case), witness);
  if (plain.ok()) return plain;
  if (absl::IsInvalidArgument(status)) status = plain;
  const absl::StatusOr<std::vector<CoincidingCase>> cases = CoincidingCases(rule_case);
  if (!cases.ok()) return status;
  for (const CoincidingCase& one : *cases) {
    if (CheckAt(one.rule_case, witness).ok()) return absl::OkStatus();
  }
  return status;
}

}  // namespace rewrought::verifier
