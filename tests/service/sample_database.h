// Creates small databases for the tests of the service, HTTP, and the web UI.
#ifndef REWROUGHT_TESTS_SERVICE_SAMPLE_DATABASE_H_
#define REWROUGHT_TESTS_SERVICE_SAMPLE_DATABASE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/digest.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought {

struct SampleRule {
  std::string search, replace, program;  // either `replace` or `program` is set
  std::string op;                        // the op by which the rule is found
  double cycles = 0;                     // the cycles saved at held-out sites, or 0 if not measured
  std::string machine = "";
  v1::RuleState state = v1::RULE_STATE_NEW;
};

// Returns three true rules in descending order of value; every value is above 3.
std::vector<SampleRule> CommonSampleRules();

// Adds a shader with this source and name, which may be any bytes. Its only fragment contains a double negation.
absl::Status PutSampleShader(store::Store* store, const std::string& source, const std::string& name,
                             ir::Digest* shader);

// Adds the rule with the proof of one case, its value, and sites at lines 7 and 11 of the shader.
absl::Status PutSampleRule(store::Store* store, const SampleRule& sample, const ir::Digest& shader);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_SERVICE_SAMPLE_DATABASE_H_
