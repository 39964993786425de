// Tests every step of a request with rules and programs at and beyond their limits, on a thread with the stack size of
// the server's threads. Nothing may crash. Oversized inputs must fail immediately with an error that names the limit,
// and the time must be linear in the size of the text.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/text/canonical.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "machine/evaluate_text.h"
#include "machine/machine.h"
#include "machine/program.h"
#include "proto/parse_limits.h"
#include "verifier/entry_check.h"

namespace rewrought {
namespace {

const machine::Machine& Gen9() { return **machine::FindMachine("intel_gen9"); }

void OnThread(const std::function<void()>& work) { std::thread(work).join(); }

// Returns the CPU seconds that this thread spends on `work`, which do not depend on the load of the machine.
double SecondsOf(const std::function<void()>& work) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

std::string Repeat(absl::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) absl::StrAppend(&all, text);
  return all;
}

// Returns a program in which each instruction reads the previous result, twice if `doubling` is set.
std::string Chain(size_t instructions, bool doubling) {
  std::vector<std::string> parts;
  std::string last = "a";
  for (size_t i = 0; i < instructions; ++i) {
    const std::string next = i + 1 == instructions ? "r" : absl::StrCat("t", i);
    parts.push_back(absl::StrCat("ADD(", next, "(F), ", last, "(F), ", doubling ? last : "b", "(F))"));
    last = next;
  }
  return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
}

verifier::CheckedEntry Check(const std::string& text) {
  const std::vector<ir::RuleEntry> entries = ir::ParseRules(text);
  EXPECT_EQ(entries.size(), 1u);
  if (entries.size() != 1) return {};
  verifier::ProverOptions options;
  options.vectors.lanes = 64;
  const verifier::Prover prover(verifier::Solvers(), options);
  verifier::RuleCheckOptions check;
  check.widths = {32};
  return verifier::CheckEntry(entries[0], prover, check, &Gen9());
}

absl::StatusOr<machine::Evaluated> Evaluate(const std::string& text, const machine::Machine* machine) {
  const absl::StatusOr<ir::Term> term = machine::ReadTermOrProgram(text, machine, ir::Dialect::kNir25);
  if (!term.ok()) return term.status();
  return machine::EvaluateTerm(*term, ir::Dialect::kNir25, ir::DenormMode::kAny,
                               {{"a", {0x3f800000, 32}}, {"b", {0x40000000, 32}}});
}

TEST(BoundsTest, ModifiersOfOneOperandAreCounted) {
  OnThread([] {
    for (const std::string nest : {"-", "~", "abs("}) {
      for (const size_t times : {9, 10'000, 100'000}) {
        const std::string text =
            absl::StrCat("[MOV(r(F), ", Repeat(nest, times), "a(F)", Repeat(")", nest == "abs(" ? times : 0), ")]");
        const absl::Status refused = Evaluate(text, &Gen9()).status();
        EXPECT_TRUE(absl::StrContains(refused.message(), "more than 8 levels of nesting, the limit for a program"))
            << refused;
        EXPECT_TRUE(absl::StartsWith(refused.message(), "1:")) << refused;
        const verifier::CheckedEntry checked = Check(absl::StrCat("(('fadd', a, 0.0), ", text, ")"));
        EXPECT_TRUE(absl::StrContains(checked.error, "more than 8 levels")) << checked.error;
      }
    }
    EXPECT_TRUE(Evaluate("[MOV(r(F), -abs(a(F)))]", &Gen9()).ok());
  });
}

TEST(BoundsTest, ParenthesesOfARuleAreCounted) {
  OnThread([] {
    for (const size_t times : {201, 10'000, 100'000}) {
      const std::string term = absl::StrCat(Repeat("('fneg', ", times), "a", Repeat(")", times));
      for (const std::string& text : {absl::StrCat("(", term, ", a)"), absl::StrCat("(('fneg', a), ", term, ")")}) {
        const verifier::CheckedEntry checked = Check(text);
        EXPECT_TRUE(absl::StrContains(checked.error, "more than 200 levels of nesting, the limit for a rule"))
            << checked.error;
        EXPECT_GT(checked.error_column, 200);
      }
      EXPECT_FALSE(Evaluate(term, nullptr).ok());
      EXPECT_FALSE(Check(absl::StrCat("(", Repeat("(", times))).error.empty());
    }
  });
}

TEST(BoundsTest, ARuleAtItsDepthIsCheckedAndEvaluated) {
  OnThread([] {
    const auto nested = [](size_t depth) {
      return absl::StrCat(Repeat("('fneg', ('fadd', b, ", depth / 2), "a", Repeat("))", depth / 2));
    };
    const std::string deepest = nested(proto::kRuleLimits.depth);
    const verifier::CheckedEntry checked = Check(absl::StrCat("(", deepest, ", ", deepest, ")"));
    EXPECT_EQ(checked.error, "");
    EXPECT_NE(checked.verdict.verdict, v1::VERDICT_REFUTED);
    const auto evaluated = Evaluate(deepest, nullptr);
    EXPECT_TRUE(evaluated.ok()) << evaluated.status();
    EXPECT_EQ(ir::PrintTerm(ir::CanonicalTerm(*ir::ParseTerm(deepest))).find("..."), std::string::npos);
  });
}

TEST(BoundsTest, InstructionsAreCounted) {
  OnThread([] {
    const size_t most = proto::kProgramLimits.items;
    for (const size_t instructions : {most + 1, size_t{15'000}}) {
      const absl::Status refused = Evaluate(Chain(instructions, false), &Gen9()).status();
      EXPECT_TRUE(absl::StrContains(refused.message(), "more than 1024 instructions, the limit for a program"))
          << refused;
    }
    EXPECT_TRUE(absl::StrContains(
        Evaluate(absl::StrCat("[ADD(r(F)", Repeat(", a(F)", 100'000), ")]"), &Gen9()).status().message(),
        "too many operands"));
  });
}

TEST(BoundsTest, AProgramAtItsLengthIsCheckedAndEvaluated) {
  OnThread([] {
    for (const bool doubling : {false, true}) {
      const std::string text = Chain(proto::kProgramLimits.items, doubling);
      const double evaluating = SecondsOf([&] {
        const auto evaluated = Evaluate(text, &Gen9());
        EXPECT_TRUE(evaluated.ok()) << evaluated.status();
      });
      const double checking = SecondsOf([&] {
        const verifier::CheckedEntry checked = Check(absl::StrCat("(('fadd', a, b), ", text, ")"));
        EXPECT_EQ(checked.error, "");
        EXPECT_NE(checked.verdict.verdict, v1::VERDICT_PROVED);
      });
      RecordProperty(doubling ? "doubling" : "chain", absl::StrCat(evaluating, " ", checking));
      EXPECT_LT(evaluating, 10) << doubling;
      EXPECT_LT(checking, 30) << doubling;
    }
  });
}

// Expects that reading an input of four times the size takes less than nine times as long; quadratic reading would take
// sixteen times as long.
void ExpectLinear(const char* what, const std::function<std::string(size_t)>& text_of,
                  const std::function<void(const std::string&)>& read, size_t size) {
  double seconds[3] = {1e9, 1e9, 1e9};
  for (int round = 0; round < 3; ++round) {
    for (const int i : {0, 1, 2}) {
      const std::string text = text_of(size << i);
      seconds[i] = std::min(seconds[i], SecondsOf([&] { read(text); }));
    }
  }
  std::cout << what << ": 1x " << seconds[0] << " s, 2x " << seconds[1] / seconds[0] << ", 4x "
            << seconds[2] / seconds[0] << "\n";
  EXPECT_LT(seconds[2], 9 * seconds[0]) << what;
}

TEST(BoundsTest, ReadingIsLinear) {
  ExpectLinear(
      "program", [](size_t size) { return Chain(size, false); },
      [](const std::string& text) { EXPECT_TRUE(machine::ParseProgram(Gen9(), text).ok()); }, 256);
  // The rules are sums of unsized literals, in which equal literals share a value.
  ExpectLinear(
      "rule of sums",
      [](size_t size) {
        std::vector<std::string> sums;
        for (size_t i = 0; i < size; ++i) sums.push_back(absl::StrCat("('iadd', 'a@32', ", i, ")"));
        while (sums.size() > 1) {
          std::vector<std::string> next;
          for (size_t i = 0; i + 1 < sums.size(); i += 2) {
            next.push_back(absl::StrCat("('ixor', ", sums[i], ", ", sums[i + 1], ")"));
          }
          sums = std::move(next);
        }
        return sums[0];
      },
      [](const std::string& text) {
        const auto term = ir::ParseTerm(text);
        EXPECT_TRUE(term.ok()) << term.status();
      },
      256);
  ExpectLinear(
      "file of rules", [](size_t size) { return Repeat("(('fadd', a, 0.0), a),\n", size); },
      [](const std::string& text) { EXPECT_FALSE(ir::ParseRules(text).empty()); }, 2000);
  ExpectLinear(
      "rules on one line", [](size_t size) { return Repeat("(('fadd', a, 0.0), a), ", size); },
      [](const std::string& text) { EXPECT_FALSE(ir::ParseRules(text).empty()); }, 2000);
  ExpectLinear(
      "open parentheses", [](size_t size) { return Repeat("((('fadd', \n", size); },
      [](const std::string& text) { EXPECT_FALSE(ir::ParseRules(text).empty()); }, 2000);
}

}  // namespace
}  // namespace rewrought
