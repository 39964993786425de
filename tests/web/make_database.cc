// Creates a small database for the tests of HTTP and of the web UI: rules with values and sites, in a shader and a
// source whose names contain markup. usage: make_database PATH [COUNT]    (COUNT adds that many plain rules to a new
// or existing database)
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "store/store.h"
#include "tests/service/sample_database.h"

namespace rewrought {
namespace {

absl::Status Make(const std::string& path) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(path);
  if (!store.ok()) return store.status();
  ir::Digest shader;
  absl::Status status = PutSampleShader(store->get(), "<b onmouseover=alert(3)>source</b>",
                                        "<script>alert(4)</script>caf\xe9.frag", &shader);
  std::vector<SampleRule> rules = CommonSampleRules();
  rules.push_back({"('fabs@32(nsz)', 'a@32(is_not_negative)')", "'a'", "", "fabs", 1});
  // Databases may come from untrusted sources.
  rules.push_back({"('iadd', '<script>alert(1)</script>', 'b')", "'<img src=x onerror=alert(2)>'", "", "iadd", 3});
  for (const SampleRule& rule : rules) {
    if (status.ok()) status = PutSampleRule(store->get(), rule, shader);
  }
  return status;
}

// Adds `count` true rules of the shapes that discovery finds, spread over machines, states and sources, for testing
// long lists.
absl::Status AddMany(const std::string& path, int count) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(path);
  if (!store.ok()) return store.status();
  absl::StatusOr<std::unique_ptr<store::ScopedTransaction>> transaction = store::ScopedTransaction::Begin(store->get());
  if (!transaction.ok()) return transaction.status();
  ir::Digest shader;
  absl::Status status = PutSampleShader(store->get(), "many", "passes/lighting_0001.frag", &shader);
  constexpr const char* kMachines[] = {"intel_gen9", "agx_g13", "ir3_a6xx", "valhall", "rdna"};
  for (int i = 0; i < count && status.ok(); ++i) {
    const int a = i / 3 + 1, b = (i * 7) % 251 + 1;
    SampleRule rule{
        "", "", "", "iadd", 0.25 * ((i * 37) % 4000), kMachines[i % 5], static_cast<v1::RuleState>(1 + i % 6)};
    switch (i % 3) {
      case 0:
        rule.search = absl::StrCat("('iadd@32', ('iadd@32', 'a@32', ", a, "), ", b, ")");
        rule.replace = absl::StrCat("('iadd@32', 'a@32', ", a + b, ")");
        break;
      case 1:
        rule.search = absl::StrCat("('fmul@32', ('fneg@32', 'a@32'), ", a, ".0)");
        rule.replace = absl::StrCat("('fmul@32', 'a@32', -", a, ".0)");
        rule.op = "fmul";
        break;
      default:
        rule.search = absl::StrCat("('ixor@32', ('ixor@32', 'a@32', ", a, "), ", b, ")");
        rule.replace = absl::StrCat("('ixor@32', 'a@32', ", a ^ b, ")");
        rule.op = "ixor";
    }
    status = PutSampleRule(store->get(), rule, shader);
  }
  return status.ok() ? (*transaction)->Commit() : status;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) {
  int count = 0;
  if (argc < 2 || argc > 3 || (argc == 3 && !absl::SimpleAtoi(argv[2], &count))) return 2;
  const absl::Status made = count > 0 ? rewrought::AddMany(argv[1], count) : rewrought::Make(argv[1]);
  if (!made.ok()) std::cerr << made << std::endl;
  return made.ok() ? 0 : 3;
}
