// Proves the lemmas of the uninterpreted tier in the floating-point theory. With its cores interpreted as IEEE
// functions, each wrapper must equal its IEEE function, and each lemma must hold for the IEEE functions. Lemmas that no
// solver decides are listed with a written argument.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "ir/scalar.h"
#include "ir/smt/smt.h"
#include "verifier/worker/cvc5_process.h"
#include "verifier/worker/worker_pool.h"

namespace rewrought::verifier {
namespace {

// `$` is the width, as in ir/smt/smt_prelude.cc. `cores` lists the wrapper's core applications to x, y and z, and their
// IEEE interpretations.
struct Wrapper {
  const char* name;
  const char* application;
  const char* native;
  std::vector<std::pair<const char*, const char*>> cores;
  // An assumption made without loss of generality: the other operand orders follow from `commutes`, which is proved
  // separately.
  const char* assumption = "true";
  const char* commutes = "";
};

const std::vector<Wrapper>& Wrappers() {
  static const auto& wrappers = *new std::vector<Wrapper>{
      {"fadd",
       "(fadd$ x y)",
       "(fp.add RNE (real$ x) (real$ y))",
       {{"(coreadd$ (magnitude$ (larger$ x y)) (bvxor (smaller$ x y) (sign$ (larger$ x y))))",
         "(fp.add RNE (real$ (magnitude$ (larger$ x y))) (real$ (bvxor (smaller$ x y) (sign$ (larger$ x y)))))"}}},
      {"fmul",
       "(fmul$ x y)",
       "(fp.mul RNE (real$ x) (real$ y))",
       {{"(coremul$ (least$ x y) (most$ x y))", "(fp.mul RNE (real$ (magnitude$ x)) (real$ (magnitude$ y)))"}},
       "(bvule (magnitude$ x) (magnitude$ y))",
       "(= (fp.mul RNE (real$ x) (real$ y)) (fp.mul RNE (real$ y) (real$ x)))"},
      {"fdiv",
       "(fdiv$ x y)",
       "(fp.div RNE (real$ x) (real$ y))",
       {{"(corediv$ (magnitude$ x) (magnitude$ y))", "(fp.div RNE (real$ (magnitude$ x)) (real$ (magnitude$ y)))"}}},
      {"ffma",
       "(ffma$ x y z)",
       "(fp.fma RNE (real$ x) (real$ y) (real$ z))",
       {{"(coremul$ (least$ x y) (most$ x y))", "(fp.mul RNE (real$ (least$ x y)) (real$ (most$ x y)))"},
        {"(corefma$ (least$ x y) (most$ x y) (bvxor z (bvxor (sign$ x) (sign$ y))))",
         "(fp.fma RNE (real$ (least$ x y)) (real$ (most$ x y)) (real$ (bvxor z (bvxor (sign$ x) (sign$ y)))))"},
        {"(ite (corefmazero$ (least$ x y) (most$ x y) (bvxor z (bvxor (sign$ x) (sign$ y))) (bvxor (sign$ x) (sign$ "
         "y))) "
         "(bvor @signbit (magnitude$ r)) (magnitude$ r))",
         "(fp.fma RNE (real$ (bvxor (least$ x y) (bvxor (sign$ x) (sign$ y)))) (real$ (most$ x y)) (real$ z))"},
        {"(coreadd$ (magnitude$ (larger$ (bvxor y (sign$ x)) z)) (bvxor (smaller$ (bvxor y (sign$ x)) z) (sign$ "
         "(larger$ "
         "(bvxor y (sign$ x)) z))))",
         "(fp.add RNE (real$ (magnitude$ (larger$ (bvxor y (sign$ x)) z))) (real$ (bvxor (smaller$ (bvxor y (sign$ x)) "
         "z) "
         "(sign$ (larger$ (bvxor y (sign$ x)) z)))))"},
        {"(coreadd$ (magnitude$ (larger$ (bvxor x (sign$ y)) z)) (bvxor (smaller$ (bvxor x (sign$ y)) z) (sign$ "
         "(larger$ "
         "(bvxor x (sign$ y)) z))))",
         "(fp.add RNE (real$ (magnitude$ (larger$ (bvxor x (sign$ y)) z))) (real$ (bvxor (smaller$ (bvxor x (sign$ y)) "
         "z) "
         "(sign$ (larger$ (bvxor x (sign$ y)) z)))))"}}},
      {"fsqrt", "(fsqrt$ x)", "(fp.sqrt RNE (real$ x))", {{"(coresqrt$ x)", "(fp.sqrt RNE (real$ x))"}}},
  };
  return wrappers;
}

// Returns whether the lemma rests on a written argument at this width, because no available solver decides it.
bool IsAxiom(absl::string_view name, int width) { return !ir::ArgumentFor(name, width).empty(); }

// The time limit, in milliseconds, for trying to refute a lemma that rests only on an argument.
constexpr uint32_t kTryAxiom = 3000;
// The time limit, in milliseconds, for a proof. The 64-bit product needs more than 20 s on a loaded machine.
constexpr uint32_t kPatience = 120000;

constexpr char kXyz[] = "(declare-const x bits$)\n(declare-const y bits$)\n(declare-const z bits$)\n";

std::string Expand(absl::string_view text, int width) { return ir::ExpandFloatText(text, width); }

// Returns assertions that `result` is the bit pattern of a float term, and is canonical if it is a NaN.
std::string Pattern(const std::string& result, const std::string& native) {
  return absl::StrCat("(assert (= (real$ ", result, ") ", native, "))\n(assert (=> (isnan$ ", result, ") (= ", result,
                      " @nan)))\n");
}

std::string BothPreludes(int width) {
  return absl::StrCat(
      "(set-logic ALL)\n", ir::FloatPrelude(width, ir::FloatEncoding::kUninterpreted),
      Expand("(define-fun real$ ((x bits$)) (_ FloatingPoint @eb @sb) ((_ to_fp @eb @sb) x))\n", width));
}

// Returns a query that is unsat iff the wrapper equals the IEEE function.
std::string WrapperQuery(const Wrapper& wrapper, int width) {
  std::string text = absl::StrCat(kXyz, "(declare-const r bits$)\n", Pattern("r", wrapper.native));
  for (const auto& [application, native] : wrapper.cores) absl::StrAppend(&text, Pattern(application, native));
  absl::StrAppend(&text, "(assert ", wrapper.assumption, ")\n(assert (not (= r ", wrapper.application, ")))\n");
  return absl::StrCat(BothPreludes(width), Expand(text, width));
}

// Replaces the applications of fadd$, fmul$, ffma$ and fdiv$ in `text`, innermost first, by constants that equal the
// IEEE results.
std::string Nativise(std::string text, std::string* definitions) {
  const std::pair<const char*, const char*> functions[] = {
      {"(fadd$ ", "fp.add"}, {"(fmul$ ", "fp.mul"}, {"(ffma$ ", "fp.fma"}, {"(fdiv$ ", "fp.div"}};
  int count = 0;
  for (;;) {
    size_t start = std::string::npos;
    const char* operation = nullptr;
    for (const auto& [name, native] : functions) {
      const size_t at = text.rfind(name);
      if (at != std::string::npos && (start == std::string::npos || at > start)) {
        start = at;
        operation = native;
      }
    }
    if (operation == nullptr) return text;
    int depth = 0;
    size_t end = start;
    do {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
      ++end;
    } while (depth > 0);
    const std::string application = text.substr(start, end - start);
    std::vector<std::string> arguments(1);
    depth = 0;
    for (char c : application.substr(7, application.size() - 8)) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ' ' && depth == 0) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(c);
      }
    }
    std::string native = absl::StrCat("(", operation, " RNE");
    for (const std::string& argument : arguments) absl::StrAppend(&native, " (real$ ", argument, ")");
    const std::string result = absl::StrCat("r", ++count);
    absl::StrAppend(definitions, "(declare-const ", result, " bits$)\n", Pattern(result, absl::StrCat(native, ")")));
    text = absl::StrReplaceAll(text, {{application, result}});
  }
}

// Returns a query that is unsat iff the lemma follows from `given`, which may contain declarations and assertions.
std::string LemmaQuery(absl::string_view lemma, int width, const std::string& given = "") {
  std::string definitions;
  const std::string claim = Nativise(std::string(lemma), &definitions);
  return absl::StrCat(BothPreludes(width),
                      Expand(absl::StrCat(kXyz, given, definitions, "(assert (not ", claim, "))\n"), width));
}

// Returns the query of a lemma about scaled sums with y = 2^power. Its `w` becomes a constant, because the body of a
// let cannot be hoisted.
std::string ScaledSumQuery(absl::string_view lemma, int width, int power) {
  constexpr absl::string_view kLet = "(let ((w (bvsub z (bvsub y @one)))) ";
  EXPECT_TRUE(absl::StartsWith(lemma, kLet)) << lemma;
  const std::string given =
      absl::StrCat("(declare-const w bits$)\n(assert (= w (bvsub z (bvsub y @one))))\n(assert (= y ",
                   ir::SmtLiteral(ir::FloatToBits(std::ldexp(1.0, power), width), width), "))\n");
  return LemmaQuery(lemma.substr(kLet.size(), lemma.size() - kLet.size() - 1), width, given);
}

class LemmasTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto pool = WorkerPool::Create(WorkerPoolOptions{});
    ASSERT_TRUE(pool.ok()) << pool.status().message();
    pool_ = pool->release();
  }
  static Answer Decide(const std::string& text, uint32_t timeout_ms) {
    SolverQuery query;
    query.text = text;
    query.timeout_ms = timeout_ms;
    SolverAnswer answer = pool_->Solve(query);
    if (answer.answer == Answer::kUnknown) {
      Cvc5Process cvc5{Cvc5Options{}};
      answer = cvc5.Solve(query);
    }
    if (answer.answer == Answer::kUnknown) reason_ = answer.reason;
    return answer.answer;
  }
  static WorkerPool* pool_;
  static std::string reason_;
};
WorkerPool* LemmasTest::pool_ = nullptr;
std::string LemmasTest::reason_;

TEST_F(LemmasTest, WrappersAreTheIeeeFunctions) {
  for (const Wrapper& wrapper : Wrappers()) {
    for (int width : {16, 32, 64}) {
      const bool axiom = IsAxiom(wrapper.name, width);
      const Answer answer = Decide(WrapperQuery(wrapper, width), axiom ? kTryAxiom : kPatience);
      EXPECT_NE(answer, Answer::kSat) << wrapper.name << width;
      if (*wrapper.commutes) {
        const std::string claim = absl::StrCat(kXyz, "(assert (not ", wrapper.commutes, "))\n");
        EXPECT_EQ(Decide(absl::StrCat(BothPreludes(width), Expand(claim, width)), 20000), Answer::kUnsat)
            << wrapper.name;
      }
      if (axiom) continue;
      EXPECT_EQ(answer, Answer::kUnsat) << wrapper.name << width << ": " << reason_;
    }
  }
}

TEST_F(LemmasTest, LemmasHold) {
  for (const ir::Lemma& lemma : ir::AllLemmas()) {
    if (absl::StrContains(lemma.text, "tiny$")) continue;   // follows from the definition of tiny
    if (lemma.need == ir::LemmaNeed::kScaledSum) continue;  // tested below
    for (int width : {16, 32, 64}) {
      const bool axiom = IsAxiom(lemma.name, width);
      const Answer answer = Decide(LemmaQuery(lemma.text, width), axiom ? kTryAxiom : kPatience);
      EXPECT_NE(answer, Answer::kSat) << lemma.name << width;
      if (axiom) continue;
      EXPECT_EQ(answer, Answer::kUnsat) << lemma.name << width << ": " << reason_;
    }
  }
}

// Checks each power separately: all powers that the lemma admits at 16 bits, and two at 32 bits, which take half a
// minute each.
TEST_F(LemmasTest, SumsTimesPowersOfTwoHold) {
  for (const ir::Lemma& lemma : ir::AllLemmas()) {
    if (lemma.need != ir::LemmaNeed::kScaledSum) continue;
    for (const int width : {16, 32}) {
      for (int power = width == 16 ? -14 : -1; power <= (width == 16 ? 15 : 1); power += width == 16 ? 1 : 2) {
        EXPECT_EQ(Decide(ScaledSumQuery(lemma.text, width, power), kPatience), Answer::kUnsat)
            << lemma.name << width << " 2^" << power << reason_;
      }
    }
    // Without the bounds, the lemma fails for a small z, and for a w that is involved in an overflow.
    const std::string unbound = absl::StrReplaceAll(
        lemma.text, {{"@scales",
                      "(= (sign$ z) (sign$ w)) (bvuge (magnitude$ z) @normal) (bvuge (magnitude$ w) @normal) "
                      "(bvult (magnitude$ z) @infinity) (bvult (magnitude$ w) @infinity)"}});
    EXPECT_NE(unbound, lemma.text);
    EXPECT_EQ(Decide(ScaledSumQuery(unbound, 16, -1), 20000), Answer::kSat) << lemma.name;
  }
}

// Checks each count separately, and all counts beyond the width together.
TEST_F(LemmasTest, ShiftsAreProductsWithPowersOfTwo) {
  const auto differs = [](const std::string& product, int width, const std::string& assumption) {
    return absl::StrFormat(
        "(declare-const x (_ BitVec %d))\n(declare-const y (_ BitVec %d))\n(assert %s)\n"
        "(assert (not (= (bvshl x y) %s)))\n",
        width, width, assumption, product);
  };
  for (const int width : {4, 8, 16, 32, 64}) {
    const std::string product = ir::ShiftAsProduct("x", "y", width);
    for (int count = 0; count < width; ++count) {
      const std::string known = absl::StrFormat("(= y %s)", ir::SmtLiteral(static_cast<uint64_t>(count), width));
      EXPECT_EQ(Decide(differs(product, width, known), 20000), Answer::kUnsat) << width << " by " << count;
    }
    const std::string beyond = absl::StrFormat("(bvuge y %s)", ir::SmtLiteral(static_cast<uint64_t>(width), width));
    EXPECT_EQ(Decide(differs(product, width, beyond), 20000), Answer::kUnsat) << width;
    EXPECT_EQ(Decide(differs(ir::ShiftAsProduct("x", "(bvneg y)", width), width, "true"), 20000), Answer::kSat);
  }
}

TEST_F(LemmasTest, FalseLemmasAndWrappersAreCaught) {
  // The solver refutes false lemmas: a sum of finite numbers may be infinite, a product with a factor of magnitude at
  // most one may underflow to zero, and -0 + -0 is not +0.
  EXPECT_EQ(Decide(LemmaQuery("(=> (and (not (isnan$ x)) (not (isinf$ x))) (not (isinf$ (fadd$ x x))))", 16), 20000),
            Answer::kSat);
  EXPECT_EQ(Decide(LemmaQuery("(=> (not (iszero$ x)) (not (iszero$ (fmul$ x y))))", 32), 20000), Answer::kSat);
  Wrapper wrong = Wrappers()[0];
  const std::string application = "(ite (and (iszero$ x) (iszero$ y)) @zero (fadd$ x y))";
  wrong.application = application.c_str();
  EXPECT_EQ(Decide(WrapperQuery(wrong, 32), 20000), Answer::kSat);
}

}  // namespace
}  // namespace rewrought::verifier
