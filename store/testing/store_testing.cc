#include "store/testing/store_testing.h"

#include <algorithm>
#include <cstdlib>

#include "corpus/site_record.h"
#include "ir/digest.h"

namespace rewrought::store {

std::string NewPath(const std::string& name) {
  std::string folder = testing::TempDir() + "/store_XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder + "/" + name;
}

std::unique_ptr<Store> OpenStore(const std::string& path) {
  absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(path);
  EXPECT_TRUE(store.ok()) << store.status();
  return store.ok() ? *std::move(store) : nullptr;
}

std::string DumpOf(Store* store) {
  std::string text;
  const absl::Status status = Dump(store, [&](absl::string_view line) {
    text.append(line.data(), line.size());
    text += "\n";
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return text;
}

void ExpectSameDump(const std::string& one, const std::string& two) {
  if (one == two) return;
  const auto [at, other] = std::mismatch(one.begin(), one.end(), two.begin(), two.end());
  const auto line_at = [start = at - one.begin()](const std::string& text) {
    const size_t begin = text.rfind('\n', start == 0 ? 0 : start - 1);
    const size_t first = begin == std::string::npos ? 0 : begin + 1;
    return text.substr(first, text.find('\n', first) - first);
  };
  ADD_FAILURE() << "dumps differ:\n" << line_at(one) << "\n" << line_at(two);
}

ir::Digest D(const std::string& text) { return ir::Digest::Of(text); }

ShaderRecord Shader(const std::string& content, const std::string& extraction) {
  return {D(content), "fragment", 12, D(extraction), {{"unknown op: bar", 1}, {"unknown op: foo", 2}}};
}

corpus::SiteRecord Site(const std::string& fragment, int64_t count, const std::string& facts) {
  corpus::SiteRecord site;
  site.fragment = {fragment, 3, 2, "32"};
  site.count = count;
  site.loop_weight = 8 * count;
  site.lines = {7, 11};
  site.node_flags = 0x8000000000000001;  // includes the highest bit, which must be preserved although SQLite's integers
                                         // are signed
  site.multi_use = 2;
  site.facts = facts;
  return site;
}

CandidateRecord Candidate(const std::string& text, const std::string& machine) {
  return {ir::RuleId(text, machine), machine, std::nullopt, text};
}

VerdictRecord VerdictOf(const std::string& rule, v1::Verdict verdict, const std::string& case_key) {
  VerdictRecord record;
  record.rule = D(rule);
  record.case_key = case_key;
  record.semantics = D("semantics 1");
  record.verdict = verdict;
  record.tier = "uf";
  record.milliseconds = 2.5;
  return record;
}

RuleRecord RuleOf(const std::string& search, const std::string& replace, const std::string& machine) {
  RuleRecord rule;
  rule.id = ir::RuleId(search + replace, machine);
  rule.machine = machine;
  rule.search = search;
  rule.replace = replace;
  rule.semantics = D("semantics 1");
  rule.created = absl::FromUnixSeconds(1000);
  rule.ops = {"fadd"};
  return rule;
}

RunRecord RunOf(const std::string& id, int64_t started_seconds) {
  RunRecord run;
  run.id = id;
  run.kind = "nightly";
  run.config = "machines: \"intel_gen9\"";
  run.state = v1::RUN_STATE_RUNNING;
  run.started = run.updated = absl::FromUnixSeconds(started_seconds);
  return run;
}

}  // namespace rewrought::store
