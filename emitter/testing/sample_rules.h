// Sample candidates for tests. Their evidence is fabricated for every size and mode, and some of the rules are wrong.
#ifndef REWROUGHT_EMITTER_TESTING_SAMPLE_RULES_H_
#define REWROUGHT_EMITTER_TESTING_SAMPLE_RULES_H_

#include <string>
#include <vector>

#include "emitter/pack.h"

namespace rewrought::emitter {

// Returns a strict IR rule that is proved at every size that typing allows, in every mode. It is confirmed, has a
// refuted mutant, and reduces the cost from 4 cycles to 2. Aborts the test if the text does not parse.
ProvedRule SampleRule(const std::string& search, const std::string& replace, const std::string& condition = "");

// Like SampleRule, but with a program of `machine`.
ProvedRule SampleProgram(const std::string& machine, const std::string& search, const std::string& program);

// Returns the candidate without the proofs for which `keep` returns false.
template <typename Keep>
ProvedRule Only(ProvedRule candidate, Keep keep) {
  auto* const proofs = candidate.entry.mutable_proofs();
  for (int i = proofs->size() - 1; i >= 0; --i) {
    if (!keep(proofs->Get(i))) proofs->DeleteSubrange(i, 1);
  }
  return candidate;
}

// Returns a `~` rule that is refuted bit for bit but proved over the reals.
ProvedRule SampleInexact(const std::string& search, const std::string& replace);

// Returns rules of every kind for intel_gen9, for golden tests, reproducibility tests, and checks on real drivers.
std::vector<ProvedRule> SampleRules();
PackOptions SampleOptions();

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TESTING_SAMPLE_RULES_H_
