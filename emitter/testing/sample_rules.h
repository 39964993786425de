// Candidates for tests. Their evidence is made up for every size and mode, and not every rule is true: nothing is
// proved here.
#ifndef REWROUGHT_EMITTER_TESTING_SAMPLE_RULES_H_
#define REWROUGHT_EMITTER_TESTING_SAMPLE_RULES_H_

#include <string>
#include <vector>

#include "emitter/pack.h"

namespace rewrought::emitter {

// A strict rule of the IR, proved at every size that typing allows in every mode, confirmed, with a refuted mutant, 4
// cycles before and 2 after. Aborts the test if the text does not parse.
ProvedRule SampleRule(const std::string& search, const std::string& replace, const std::string& condition = "");

// Likewise with a program of `machine`.
ProvedRule SampleProgram(const std::string& machine, const std::string& search, const std::string& program);

// Takes all proofs away that `keep` does not want. `keep` sees each proof.
template <typename Keep>
ProvedRule Only(ProvedRule candidate, Keep keep) {
  auto* const proofs = candidate.entry.mutable_proofs();
  for (int i = proofs->size() - 1; i >= 0; --i) {
    if (!keep(proofs->Get(i))) proofs->DeleteSubrange(i, 1);
  }
  return candidate;
}

// A `~` rule that is refuted strictly and equal over the reals.
ProvedRule SampleInexact(const std::string& search, const std::string& replace);

// What goldens, reproducibility and the checks on real drivers use: rules of every kind for intel_gen9.
std::vector<ProvedRule> SampleRules();
PackOptions SampleOptions();

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_TESTING_SAMPLE_RULES_H_
