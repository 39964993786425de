#include "tests/benchmark/peers/stp/float_proof.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace rewrought::peers {
namespace {

std::string Binary(uint32_t value, int bits) {
  std::string text = "#b";
  for (int i = bits - 1; i >= 0; --i) text += (value >> i & 1) != 0 ? '1' : '0';
  return text;
}

// Returns the candidate's SMT-LIB text, in which the constant `choice` selects the zero that fp.min and fp.max return,
// regardless of the solver.
std::string SpellChosen(const FloatCandidate& candidate, absl::string_view rounding, SpellConstant constant) {
  const std::string text = Spell(candidate, rounding, constant);
  if (!candidate.Chooses()) return text;
  const std::string a = Spell(candidate.operands[0], rounding, constant),
                    b = Spell(candidate.operands[1], rounding, constant);
  return absl::StrCat("(ite (and (fp.isZero ", a, ") (fp.isZero ", b, ") (not (= ", a, " ", b, "))) (ite choice ",
                      constant(FloatConstant::kMinusZero), " ", constant(FloatConstant::kPlusZero), ") ", text, ")");
}

FloatProof Ask(verifier::Solver* solver, const FloatRule& rule, SmallFormat format, uint32_t work_ms) {
  if (solver == nullptr) return {FloatVerdict::kUnknown, false, "no solver"};
  const verifier::SolverAnswer answer =
      solver->Solve({.text = StateRule(rule, format), .work_ms = work_ms, .wanted = {"bits"}});
  if (answer.answer == verifier::Answer::kUnsat) return {FloatVerdict::kProved, false, ""};
  if (answer.answer == verifier::Answer::kUnknown) return {FloatVerdict::kUnknown, false, answer.reason};
  const auto bits = answer.model.find("bits");
  uint64_t x = 0;
  if (bits == answer.model.end() || !absl::SimpleHexAtoi(bits->second, &x) || x >= format.patterns())
    return {FloatVerdict::kUnknown, false, "a model without x"};
  const std::string at = absl::StrCat("x = 0x", absl::Hex(x));
  if (FloatMeaning(format).HoldsAt(rule, static_cast<uint32_t>(x)))
    return {FloatVerdict::kUnknown, false, absl::StrCat("evaluation finds no difference at ", at)};
  return {FloatVerdict::kRefuted, false, at};
}

}  // namespace

std::string SpellLiteral(SmallFormat format, uint32_t pattern) {
  const int stored = format.significand_bits - 1;
  return absl::StrCat("(fp ", Binary(pattern >> (format.bits() - 1), 1), " ",
                      Binary(pattern >> stored, format.exponent_bits), " ", Binary(pattern, stored), ")");
}

std::string StateRule(const FloatRule& rule, SmallFormat format) {
  const FloatMeaning meaning(format);
  const auto constant = [&](FloatConstant one) { return SpellLiteral(format, meaning.PatternOf(one)); };
  const std::string sizes = absl::StrCat(format.exponent_bits, " ", format.significand_bits);
  std::string text = absl::StrCat("(declare-const bits (_ BitVec ", format.bits(), "))\n",
                                  "(define-fun x () (_ FloatingPoint ", sizes, ") ((_ to_fp ", sizes, ") bits))\n");
  if (rule.candidate.Chooses()) text += "(declare-const choice Bool)\n";
  text += "(assert (or false";
  for (size_t mode = 0; mode < kRoundings.size(); ++mode) {
    if (!rule.HoldsIn(mode)) continue;
    const absl::string_view rounding = NameOf(kRoundings[mode]);
    absl::StrAppend(&text, "\n  (not (= ", SpellChosen(rule.candidate, rounding, constant), " ",
                    Spell(rule.target, rule.candidate, rounding, constant), "))");
  }
  return text + "))\n";
}

FloatProof ProveRule(const FloatRule& rule, SmallFormat format, const verifier::Solvers& solvers, uint32_t work_ms) {
  if (rule.modes == 0) return {FloatVerdict::kUnknown, false, "the rule has no modes"};
  const bool single = (rule.modes & (rule.modes - 1)) == 0;
  const FloatProof whole = Ask(solvers.first(), rule, format, work_ms);
  if (whole.verdict != FloatVerdict::kUnknown || solvers.first() == nullptr) return whole;
  FloatProof proof = {FloatVerdict::kProved, false, ""};
  for (size_t mode = 0; mode < kRoundings.size(); ++mode) {
    if (!rule.HoldsIn(mode)) continue;
    FloatRule in_mode = rule;
    in_mode.modes = static_cast<uint8_t>(1 << mode);
    FloatProof part = single ? whole : Ask(solvers.first(), in_mode, format, work_ms);
    if (part.verdict == FloatVerdict::kUnknown && solvers.confirming() != nullptr) {
      part = Ask(solvers.confirming(), in_mode, format, work_ms);
      proof.by_second |= part.verdict != FloatVerdict::kUnknown;
    }
    if (part.verdict == FloatVerdict::kProved) continue;
    return {part.verdict, proof.by_second, part.detail};
  }
  return proof;
}

size_t FloatProofs::Count(FloatVerdict verdict) const {
  return static_cast<size_t>(
      std::count_if(proofs.begin(), proofs.end(), [&](const FloatProof& proof) { return proof.verdict == verdict; }));
}

FloatProofs ProveRules(absl::Span<const FloatRule> rules, SmallFormat format, const verifier::Solvers& solvers,
                       uint32_t work_ms) {
  const auto start = std::chrono::steady_clock::now();
  FloatProofs all;
  all.proofs.resize(rules.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < rules.size(); i = next++) all.proofs[i] = ProveRule(rules[i], format, solvers, work_ms);
  };
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < std::max(1, solvers.parallel()); ++i) threads.emplace_back(work);
  }
  all.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return all;
}

}  // namespace rewrought::peers
