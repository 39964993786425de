// Compares the SMT domain with the scalar domain on concrete points, for every row, size and mode, with random choices
// and flags. In both encodings, the evaluator's result must be possible; otherwise a formula, lemma or wrapper
// contradicts IEEE arithmetic, and proofs that use it are meaningless. In the floating-point theory, no other result
// may be possible.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/evaluate.h"
#include "ir/meaning.h"
#include "ir/op_table.h"
#include "ir/scalar.h"
#include "ir/smt/smt.h"
#include "verifier/sample_cases.h"
#include "verifier/vectors.h"

namespace rewrought::verifier {
namespace {

using ir::DenormMode;
using ir::OpRow;
using ir::ValueIndex;

constexpr int kPoints = 6;  // per row, size and mode

// Returns a term that applies `row` to fresh variables, whose names contain `point`.
ir::Term TermOf(const OpRow& row, int size, int point, uint8_t flags) {
  ir::Term term;
  ir::Node node;
  node.kind = ir::NodeKind::kOp;
  node.op = &row;
  node.flags = flags;
  node.bits = static_cast<uint8_t>(row.result.bits ? row.result.bits : size);
  node.components = std::max<uint8_t>(1, row.result.components);
  for (size_t k = 0; k < row.sources.size(); ++k) {
    ir::Node variable;
    variable.name = absl::StrCat("x", point, "_", k, "_");
    variable.bits = static_cast<uint8_t>(row.sources[k].bits ? row.sources[k].bits : size);
    variable.components = std::max<uint8_t>(1, row.sources[k].components);
    term.nodes.push_back(variable);
    node.sources.push_back({static_cast<ir::NodeIndex>(k), ir::kIdentitySwizzle});
  }
  term.nodes.push_back(node);
  term.root = static_cast<ir::NodeIndex>(term.nodes.size() - 1);
  return term;
}

uint64_t Draw(std::mt19937_64& random, int width) {
  const std::vector<uint64_t>& special = SpecialValues(width);
  if (random() % 3 != 0) return special[random() % special.size()];
  return random() & ir::MaskOf(width);
}

// Points lowered into one Dag, with the evaluator's results.
struct Points {
  ir::Dag dag;
  std::vector<uint64_t> inputs, choices;
  std::vector<std::vector<ValueIndex>> roots;
  std::vector<uint64_t> values;  // indexed like the Dag
  std::vector<std::string> notes;
};

void AddPoint(const OpRow& row, int size, DenormMode mode, std::mt19937_64& random, Points* points) {
  const uint8_t flags = random() % 3 == 0 ? static_cast<uint8_t>((random() % 8) << 2) : 0;
  const size_t first_input = points->dag.inputs().size();
  const int point = static_cast<int>(points->roots.size());
  const auto term = ir::LowerWithChoices(&points->dag, TermOf(row, size, point, flags), mode,
                                         static_cast<uint32_t>(points->choices.size()));
  ASSERT_TRUE(term.ok()) << row.name << ": " << term.status().message();
  std::string note = absl::StrCat(row.name, "@", size, " ", std::string(ir::NameOf(mode)), " flags ", flags, ":");
  for (size_t i = first_input; i < points->dag.inputs().size(); ++i) {
    points->inputs.push_back(Draw(random, points->dag.inputs()[i].width));
    absl::StrAppend(&note, " 0x", absl::Hex(points->inputs.back()));
  }
  for (const ir::Choice& choice : term->choices) {
    points->choices.push_back(Draw(random, choice.width));
    absl::StrAppend(&note, " ?0x", absl::Hex(points->choices.back()));
  }
  points->roots.push_back(term->lowered.root);
  points->notes.push_back(std::move(note));
}

void Evaluate(Points* points) {
  ir::Evaluator evaluator(&points->dag);
  evaluator.Start(points->inputs, [&](uint32_t choice) { return points->choices[choice]; });
  for (size_t p = 0; p < points->roots.size(); ++p) {
    for (ValueIndex root : points->roots[p])
      absl::StrAppend(&points->notes[p], " -> 0x", absl::Hex(evaluator.Evaluate(root)));
  }
  for (ValueIndex i = 0; i < points->dag.size(); ++i) points->values.push_back(evaluator.Evaluate(i));
}

enum class Question {
  kDiffers,   // can a root differ from the evaluator's result?
  kPossible,  // can every value, including inner ones, equal the evaluator's result?
};

std::string TypeText(int width) { return width == 1 ? std::string("Bool") : absl::StrCat("(_ BitVec ", width, ")"); }

struct FixedValue {
  int width = 1;
  uint64_t value = 0;
};
using FixedValues = std::map<std::string, FixedValue>;  // keyed by name

// Replaces the declaration of a fixed name with its value, and its definition with an assertion about its value. Other
// lines are unchanged.
std::string FixLine(absl::string_view line, const FixedValues& fixed) {
  absl::string_view rest = line;
  const bool declared = absl::ConsumePrefix(&rest, "(declare-const ");
  if (!declared && !absl::ConsumePrefix(&rest, "(define-fun ")) return absl::StrCat(line, "\n");
  const std::string name(rest.substr(0, rest.find(' ')));
  const auto found = fixed.find(name);
  if (found == fixed.end()) return absl::StrCat(line, "\n");
  const std::string type = TypeText(found->second.width),
                    literal = ir::SmtLiteral(found->second.value, found->second.width);
  const std::string definition = absl::StrCat("(define-fun ", name, " () ", type, " ", literal, ")\n");
  if (declared) return definition;
  EXPECT_TRUE(absl::ConsumePrefix(&rest, absl::StrCat(name, " () ", type, " "))) << line;
  return absl::StrCat(definition, "(assert (= ", literal, " ", rest, ")\n");
}

// Returns the query about points [begin, end), with inputs and choices fixed to the values at the points.
std::string QueryText(const Points& points, size_t begin, size_t end, ir::FloatEncoding encoding, Question question) {
  ir::SmtWriter writer(points.dag, encoding);
  std::vector<ValueIndex> roots;
  for (size_t p = begin; p < end; ++p) roots.insert(roots.end(), points.roots[p].begin(), points.roots[p].end());
  writer.Define(roots);
  FixedValues fixed;
  for (const auto& [name, width] : writer.declared()) {
    const size_t index = static_cast<size_t>(std::atoi(name.c_str() + 1));
    fixed[name] = {width, name[0] == 'i' ? points.inputs[index] : points.choices[index]};
  }
  std::string differences;
  for (ValueIndex root : roots) {
    absl::StrAppend(&differences, " (not (= ", writer.NameOf(root), " ",
                    ir::SmtLiteral(points.values[root], points.dag.at(root).width), "))");
  }
  if (question == Question::kDiffers) {
    writer.Assert(absl::StrCat("(or false", differences, ")"));
  } else {
    // Also fix inner values, defined or constrained, so that each step is checked on concrete numbers.
    for (ValueIndex value : points.dag.Below(roots)) {
      if (writer.NameOf(value)[0] == 'v')
        fixed[writer.NameOf(value)] = {points.dag.at(value).width, points.values[value]};
    }
  }
  std::string text;
  for (absl::string_view line : absl::StrSplit(writer.Text(), '\n', absl::SkipEmpty())) text += FixLine(line, fixed);
  return text;
}

Answer Ask(const std::string& text, Tactic tactic, std::string* reason) {
  SolverQuery query;
  query.text = text;
  query.tactic = tactic;
  query.timeout_ms = 5000;
  const SolverAnswer answer = SharedPool()->Solve(query);
  *reason = answer.reason;
  return answer.answer;
}

struct Tally {
  std::atomic<int> points = 0, queries = 0, undecided = 0;
};

void CheckEncoding(const Points& points, ir::FloatEncoding encoding, Question question, Tally* tally) {
  const Tactic tactic = encoding == ir::FloatEncoding::kNative ? Tactic::kNative : Tactic::kUninterpreted;
  const Answer wanted = question == Question::kDiffers ? Answer::kUnsat : Answer::kSat;
  std::string reason;
  ++tally->queries;
  if (Ask(QueryText(points, 0, points.roots.size(), encoding, question), tactic, &reason) == wanted) return;
  for (size_t p = 0; p < points.roots.size(); ++p) {
    const Answer answer = Ask(QueryText(points, p, p + 1, encoding, question), tactic, &reason);
    ++tally->queries;
    if (answer == Answer::kUnknown) {
      ++tally->undecided;
      std::cout << "undecided: " << points.notes[p] << ": " << reason << "\n";
      EXPECT_FALSE(absl::StrContains(reason, "parse") || absl::StrContains(reason, "tactic"))
          << points.notes[p] << ": " << reason;
    } else {
      EXPECT_EQ(answer, wanted) << (question == Question::kDiffers ? "may differ: " : "not possible: ")
                                << (tactic == Tactic::kNative ? "native " : "uninterpreted ") << points.notes[p];
    }
  }
}

// Counts rounding operations. The result of each is a constant that a solver must find.
struct FloatUse {
  bool any = false, approximate = false;
  int rounded = 0;  // total over all points
};

FloatUse FloatUseOf(const ir::Dag& dag) {
  FloatUse use;
  for (ValueIndex i = 0; i < dag.size(); ++i) {
    const ir::Primitive primitive = dag.at(i).primitive;
    use.any = use.any || ir::InfoOf(primitive).is_float;
    use.approximate = use.approximate || primitive == ir::Primitive::kApprox;
    use.rounded += primitive == ir::Primitive::kFadd || primitive == ir::Primitive::kFmul ||
                   primitive == ir::Primitive::kFfma || primitive == ir::Primitive::kFdiv ||
                   primitive == ir::Primitive::kFsqrt || primitive == ir::Primitive::kF2f;
  }
  return use;
}

// Returns random points for `row`. If `with_literals`, the Dag has the literals ±1 and ±2. The lemmas about them are
// then asserted, and fma has its long form.
Points MakePoints(const OpRow& row, int size, bool with_literals) {
  Points points;
  std::mt19937_64 random(std::hash<std::string>()(row.name) + 2 * static_cast<size_t>(size) + with_literals);
  for (int width : {16, 32, 64}) {
    if (!with_literals) break;
    points.dag.Literal(ir::FloatToBits(1.0, width), width);
    points.dag.Literal(ir::FloatToBits(2.0, width), width);
  }
  std::vector<DenormMode> modes = {DenormMode::kPreserve, DenormMode::kAny, DenormMode::kFlush};
  if (row.contract == ir::Contract::kBits) modes.resize(1);
  for (DenormMode mode : modes) {
    for (int i = 0; i < kPoints; ++i) AddPoint(row, size, mode, random, &points);
  }
  Evaluate(&points);
  return points;
}

void CheckRow(const OpRow& row, int size, Tally* tally) {
  const Points points = MakePoints(row, size, false);
  const int count = static_cast<int>(points.roots.size());
  tally->points += count;
  const FloatUse use = FloatUseOf(points.dag);
  CheckEncoding(points, ir::FloatEncoding::kNative, Question::kPossible, tally);
  // An approximated function may differ, because it is an uninterpreted function to solvers. Long chains of roundings
  // take too long.
  if (!use.approximate && use.rounded <= count)
    CheckEncoding(points, ir::FloatEncoding::kNative, Question::kDiffers, tally);
  if (!use.any) return;
  CheckEncoding(points, ir::FloatEncoding::kUninterpreted, Question::kPossible, tally);
  const Points with_literals = MakePoints(row, size, true);
  tally->points += count;
  CheckEncoding(with_literals, ir::FloatEncoding::kUninterpreted, Question::kPossible, tally);
}

TEST(SmtDomain, EveryRowAgreesWithTheEvaluator) {
  std::vector<std::pair<const OpRow*, int>> work;
  for (const OpRow* row : ir::AllOps()) {
    for (int size : ir::FreeSizesOf(*row)) work.emplace_back(row, size);
  }
  Tally tally;
  std::atomic<size_t> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (size_t w = next++; w < work.size(); w = next++) CheckRow(*work[w].first, work[w].second, &tally);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::cout << tally.points << " points of " << work.size() << " rows at their sizes, " << tally.queries << " queries, "
            << tally.undecided << " points undecided\n";
  EXPECT_GT(tally.points, 10000);
  EXPECT_LT(tally.undecided, tally.points / 100);
}

// The check above must detect a false lemma and an incorrect formula. Each injected fault contradicts concrete
// arithmetic.
TEST(SmtDomain, PlantedFaultsAreSeen) {
  const OpRow* row = ir::FindOp("fadd");
  Points points;
  std::mt19937_64 random(7);
  for (int i = 0; i < 8; ++i) AddPoint(*row, 32, DenormMode::kPreserve, random, &points);
  // 1 + -1 and 2^-149 - 2^-149 cancel; 1 + 2^-30 rounds to 1.
  const uint64_t values[] = {0x3f800000, 0xbf800000, 0x00000001, 0x80000001, 0x3f800000, 0x30800000};
  for (size_t i = 0; i < std::size(values); ++i) points.inputs[i] = values[i];
  Evaluate(&points);
  std::string reason;
  const std::string honest = QueryText(points, 0, 8, ir::FloatEncoding::kUninterpreted, Question::kPossible);
  ASSERT_EQ(Ask(honest, Tactic::kUninterpreted, &reason), Answer::kSat);
  const char* const false_lemmas[] = {
      // The false lemmas state that a sum is never a zero, that it has the sign of the operand of smaller magnitude,
      // and that it grows strictly for equal signs.
      "(=> (and (not (isnan$ x)) (not (iszero$ x)) (not (iszero$ y))) (not (iszero$ (fadd$ x y))))",
      "(=> (not (isnan$ (fadd$ x y))) (= (sign$ (fadd$ x y)) (sign$ (smaller$ x y))))",
      "(=> (and (not (isnan$ x)) (not (isnan$ y)) (not (iszero$ x)) (not (iszero$ y)) (not (isinf$ x)) (= (sign$ x) "
      "(sign$ y))) "
      "(bvugt (magnitude$ (fadd$ x y)) (magnitude$ (larger$ x y))))"};
  for (const char* lemma : false_lemmas) {
    std::string text = honest;
    for (size_t p = 0; p < 8; ++p) {
      absl::StrAppend(&text, "(assert (let ((x i", 2 * p, ") (y i", 2 * p + 1, ")) ", ir::ExpandFloatText(lemma, 32),
                      "))\n");
    }
    EXPECT_EQ(Ask(text, Tactic::kUninterpreted, &reason), Answer::kUnsat) << lemma << reason;
  }
  // A formula that is wrong for the sign of a cancelled sum.
  const std::string native = QueryText(points, 0, 8, ir::FloatEncoding::kNative, Question::kDiffers);
  ASSERT_EQ(Ask(native, Tactic::kNative, &reason), Answer::kUnsat);
  EXPECT_EQ(Ask(absl::StrReplaceAll(native, {{"fp.add RNE", "fp.add RTN"}}), Tactic::kNative, &reason), Answer::kSat);
}

}  // namespace
}  // namespace rewrought::verifier
