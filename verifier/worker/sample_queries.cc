#include "verifier/worker/sample_queries.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace rewrought::verifier {
namespace {

std::string ReadWhole(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::filesystem::path Folder() {
  const char* root = getenv("TEST_SRCDIR");
  const char* workspace = getenv("TEST_WORKSPACE");
  std::filesystem::path folder = root == nullptr ? "." : root;
  if (workspace != nullptr) folder /= workspace;
  return folder / "verifier/worker/testdata";
}

Tactic TacticOf(const std::string& name) {
  if (absl::StartsWith(name, "uf_")) return Tactic::kUninterpreted;
  if (absl::StartsWith(name, "real_")) return Tactic::kReal;
  EXPECT_TRUE(absl::StartsWith(name, "native_") || absl::StartsWith(name, "mixed_")) << name;
  return Tactic::kNative;
}

}  // namespace

std::vector<SampleQuery> LoadSampleQueries(uint32_t timeout_ms) {
  std::vector<SampleQuery> samples;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    SampleQuery sample;
    sample.name = entry.path().filename().string();
    sample.query.tactic = TacticOf(sample.name);
    sample.query.text = ReadWhole(entry.path());
    sample.query.timeout_ms = timeout_ms;
    const std::string first = sample.query.text.substr(0, sample.query.text.find('\n'));
    absl::string_view wants = first;
    if (absl::ConsumePrefix(&wants, "; wants: ")) sample.query.wanted = absl::StrSplit(wants, ' ');
    const bool sat = absl::StrContains(sample.name, ".sat.");
    EXPECT_NE(sat, absl::StrContains(sample.name, ".unsat.")) << sample.name;
    sample.expected = sat ? Answer::kSat : Answer::kUnsat;
    samples.push_back(std::move(sample));
  }
  std::sort(samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  EXPECT_GE(samples.size(), 20u);
  return samples;
}

SolverQuery HardQuery(uint32_t timeout_ms) {
  SolverQuery query;
  query.timeout_ms = timeout_ms;
  query.text =
      "(declare-const a (_ BitVec 64))(declare-const b (_ BitVec 64))"
      "(assert (bvugt a (_ bv1 64)))(assert (bvugt b (_ bv1 64)))"
      "(assert (= (bvmul ((_ zero_extend 64) a) ((_ zero_extend 64) b)) #x0123456789abcdef0123456789abcdef))";
  return query;
}

SolverQuery WithModel(const SolverQuery& query, const SolverAnswer& answer) {
  SolverQuery extended = query;
  for (const auto& [name, value] : answer.model) {
    absl::StrAppend(&extended.text, "\n(assert (= |", name, "| #x", value, "))");
  }
  return extended;
}

std::vector<int> ChildPids() {
  std::vector<int> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line)) continue;
    // The format is "pid (name) state parent ..."; the name may contain any characters.
    const std::vector<std::string> fields = absl::StrSplit(line.substr(line.rfind(')') + 1), ' ', absl::SkipEmpty());
    if (fields.size() > 1 && fields[1] == std::to_string(getpid())) children.push_back(std::stoi(line));
  }
  return children;
}

}  // namespace rewrought::verifier
