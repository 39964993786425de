// Small databases for the tests of the service, of HTTP and of the page.
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
  std::string search, replace, program;  // `replace` or `program`
  std::string op;                        // by which it is found
  double cycles = 0;                     // saved at held-out sites; 0: it was not measured
  std::string machine = "";
  v1::RuleState state = v1::RULE_STATE_NEW;
};

// Three true rules whose worth falls in this order, all above 3.
std::vector<SampleRule> CommonSampleRules();

// A shader of that source and name, which may be any bytes. Its one fragment has a double negation.
absl::Status PutSampleShader(store::Store* store, const std::string& source, const std::string& name,
                             ir::Digest* shader);

// The rule with a proof of one case, its worth, and sites in the shader at lines 7 and 11.
absl::Status PutSampleRule(store::Store* store, const SampleRule& sample, const ir::Digest& shader);

}  // namespace rewrought

#endif  // REWROUGHT_TESTS_SERVICE_SAMPLE_DATABASE_H_
