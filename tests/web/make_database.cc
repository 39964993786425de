// Makes a small database for the tests of HTTP and of the page: rules with worth and sites, in a shader and a source
// whose names are markup. usage: make_database PATH [COUNT]
// (COUNT: adds that many plain rules to a database, which may be there)
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "server/store/corpus_store.h"
#include "server/store/rule_store.h"
#include "server/store/store.h"

namespace rewrought {
namespace {

using store::Digest;

struct Sample {
  const char* search;
  const char* replace;
  const char* op;
  double cycles;
};

constexpr Sample kSamples[] = {
    {"('fmul@32', 'a', 2.0)", "('fadd', 'a', 'a')", "fmul", 9},
    {"('fneg', ('fneg', 'a'))", "'a'", "fneg", 7},
    {"('fadd', 'a', ('fneg', 'b'))", "('fsub', 'a', 'b')", "fadd", 5},
    {"('fabs@32(nsz)', 'a@32(is_not_negative)')", "'a'", "fabs", 1},
    // A database may come from anywhere.
    {"('iadd', '<script>alert(1)</script>', 'b')", "'<img src=x onerror=alert(2)>'", "iadd", 3},
};

absl::Status PutRule(store::RuleStore* rules, const Sample& sample, const Digest& shader, const char* machine = "",
                     store::RuleState state = store::RuleState::kNew) {
  store::RuleRecord rule;
  rule.machine = machine;
  rule.state = state;
  rule.search = sample.search;
  rule.replace = sample.replace;
  rule.id = store::RuleId(absl::StrCat(rule.search, rule.replace), machine);
  rule.semantics = Digest::Of("semantics");
  rule.created = absl::FromUnixSeconds(1700000000);
  rule.ops = {sample.op};
  absl::Status status = rules->PutRule(rule);
  if (!status.ok()) return status;
  status = rules->PutMeasurement({rule.id, store::Split::kHeldOut, 4, 1, 1, 2, sample.cycles + 1, 1, sample.cycles});
  return status.ok() ? rules->PutHits(rule.id, {{shader, 4, 1.0, sample.cycles, {7, 11}}}) : status;
}

absl::Status Make(const std::string& path) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(path);
  if (!store.ok()) return store.status();
  store::CorpusStore corpus(store->get());
  const std::string source = "<b onmouseover=alert(3)>source</b>";
  absl::Status status = corpus.PutSource(source, false);
  const store::ShaderRecord shader{Digest::Of("shader"), "fragment", 12, Digest::Of("extraction"), {}};
  store::SiteRecord site;
  site.fragment = {"('fadd@32', 'a@32', ('fneg@32', ('fneg@32', 'b@32')))", 3, 2, "a:32 b:32 root:32"};
  site.count = 3;
  if (status.ok()) status = corpus.PutShader(shader, {source, "<script>alert(4)</script>caf\xe9.frag"}, {site});
  store::RuleStore rules(store->get());
  for (const Sample& sample : kSamples) {
    if (status.ok()) status = PutRule(&rules, sample, shader.digest);
  }
  return status;
}

// Adds `count` true rules of the shapes that discovery finds, spread over machines, states and sources: lists have to
// work at this length.
absl::Status AddMany(const std::string& path, int count) {
  absl::StatusOr<std::unique_ptr<store::Store>> store = store::Store::Open(path);
  if (!store.ok()) return store.status();
  absl::StatusOr<std::unique_ptr<store::ScopedTransaction>> transaction = store::ScopedTransaction::Begin(store->get());
  if (!transaction.ok()) return transaction.status();
  store::CorpusStore corpus(store->get());
  absl::Status status = corpus.PutSource("many", true);
  const store::ShaderRecord shader{Digest::Of("many"), "fragment", 400, Digest::Of("extraction"), {}};
  if (status.ok()) status = corpus.PutShader(shader, {"many", "passes/lighting_0001.frag"}, {});
  store::RuleStore rules(store->get());
  constexpr const char* kMachines[] = {"intel_gen9", "agx_g13", "ir3_a6xx", "valhall", "rdna"};
  for (int i = 0; i < count && status.ok(); ++i) {
    const int a = i / 3 + 1, b = (i * 7) % 251 + 1;
    Sample sample{"", "", "iadd", 0.25 * ((i * 37) % 4000)};
    std::string search, replace;
    switch (i % 3) {
      case 0:
        search = absl::StrCat("('iadd@32', ('iadd@32', 'a@32', ", a, "), ", b, ")");
        replace = absl::StrCat("('iadd@32', 'a@32', ", a + b, ")");
        break;
      case 1:
        search = absl::StrCat("('fmul@32', ('fneg@32', 'a@32'), ", a, ".0)");
        replace = absl::StrCat("('fmul@32', 'a@32', -", a, ".0)");
        sample.op = "fmul";
        break;
      default:
        search = absl::StrCat("('ixor@32', ('ixor@32', 'a@32', ", a, "), ", b, ")");
        replace = absl::StrCat("('ixor@32', 'a@32', ", a ^ b, ")");
        sample.op = "ixor";
    }
    sample.search = search.c_str();
    sample.replace = replace.c_str();
    status = PutRule(&rules, sample, shader.digest, kMachines[i % 5], static_cast<store::RuleState>(1 + i % 6));
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
