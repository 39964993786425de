#include "tests/service/sample_database.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "corpus/site_record.h"
#include "ir/digest.h"
#include "pipeline/case_record.h"
#include "store/corpus_store.h"
#include "store/rule_store.h"
#include "store/search_store.h"

namespace rewrought {

using ir::Digest;

std::vector<SampleRule> CommonSampleRules() {
  return {{"('fmul', 'a', 2.0)", "('fadd', 'a', 'a')", "", "fmul", 9},
          {"('fneg', ('fneg', 'a'))", "'a'", "", "fneg", 7},
          {"('fadd', 'a', ('fneg', 'b'))", "('fsub', 'a', 'b')", "", "fadd", 5}};
}

absl::Status PutSampleShader(store::Store* store, const std::string& source, const std::string& name, Digest* shader) {
  store::CorpusStore corpus(store);
  if (absl::Status status = corpus.PutSource(source, false); !status.ok()) return status;
  *shader = Digest::Of(absl::StrCat(source, "/", name));
  corpus::SiteRecord site;
  site.fragment = {"('fadd@32', 'a@32', ('fneg@32', ('fneg@32', 'b@32')))", 3, 2, "a:32 b:32 root:32"};
  site.count = 3;
  return corpus.PutShader({*shader, "fragment", 12, Digest::Of("extraction"), {}}, {source, name}, {site});
}

absl::Status PutSampleRule(store::Store* store, const SampleRule& sample, const Digest& shader) {
  store::RuleRecord rule;
  rule.machine = sample.machine;
  rule.state = sample.state;
  rule.search = sample.search;
  rule.replace = sample.replace;
  rule.program = sample.program;
  rule.id = ir::RuleId(absl::StrCat(rule.search, rule.replace, rule.program), rule.machine);
  rule.semantics = Digest::Of("semantics");
  rule.created = absl::FromUnixSeconds(1700000000);
  rule.ops = {sample.op};
  store::RuleStore rules(store);
  absl::Status status = rules.PutRule(rule);
  if (status.ok() && sample.cycles > 0) {
    status = rules.PutMeasurement({rule.id, store::Split::kHeldOut, 4, 1, 1, 2, sample.cycles + 1, 1, sample.cycles});
  }
  if (status.ok()) status = rules.PutHits(rule.id, {{shader, 4, 1.0, sample.cycles, {7, 11}}});
  if (!status.ok()) return status;
  v1::CaseVerdict proof;
  proof.set_width(32);
  proof.set_mode(v1::DENORM_MODE_ANY);
  proof.set_verdict(v1::VERDICT_PROVED);
  proof.set_tier(v1::TIER_UNINTERPRETED);
  return store::SearchStore(store).PutVerdict(pipeline::RecordOf(rule.id, rule.semantics, "a:32 root:32 any", proof));
}

}  // namespace rewrought
