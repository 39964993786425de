// Checks a witness from an untrusted file.
#ifndef REWROUGHT_VERIFIER_MESSAGE_WITNESS_CHECK_H_
#define REWROUGHT_VERIFIER_MESSAGE_WITNESS_CHECK_H_

#include "absl/status/status.h"
#include "proto/rewrought/v1/proof.pb.h"
#include "verifier/rule_case.h"

namespace rewrought::verifier {

// Evaluates both sides of the case on the inputs of the witness. The witness may also belong to the case whose root has
// only the flags that the rule names, or to a case in which nodes of the search coincide. Fails with FailedPrecondition
// if the preconditions do not hold, if the results differ from those of the witness, or if the search side allows the
// replacement's result; and with InvalidArgument if the witness does not have one value for each input. If evaluation
// cannot decide whether the search side allows the result, checks only the results.
absl::Status CheckWitness(const RuleCase& rule_case, const v1::Witness& witness);

}  // namespace rewrought::verifier

#endif  // REWROUGHT_VERIFIER_MESSAGE_WITNESS_CHECK_H_
