// Makes a small database for the tests of HTTP and of the page: rules with worth and sites, in a shader and a source
// whose names are markup. usage: make_database PATH
#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/store/corpus_store.h"
#include "server/store/rule_store.h"

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
    // A database may come from anywhere.
    {"('iadd', '<script>alert(1)</script>', 'b')", "'<img src=x onerror=alert(2)>'", "iadd", 3},
};

absl::Status PutRule(store::RuleStore* rules, const Sample& sample, const Digest& shader) {
  store::RuleRecord rule;
  rule.search = sample.search;
  rule.replace = sample.replace;
  rule.id = store::RuleId(absl::StrCat(rule.search, rule.replace), "");
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

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const absl::Status made = rewrought::Make(argv[1]);
  if (!made.ok()) std::cerr << made << std::endl;
  return made.ok() ? 0 : 3;
}
