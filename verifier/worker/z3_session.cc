#include "verifier/worker/z3_session.h"

#include <z3++.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "verifier/budget.h"
#include "verifier/worker/cpu_limit.h"
#include "verifier/worker/script.h"

namespace rewrought::verifier {

// The context of a single query. Previous queries in a context change the numbering of names and terms, which changes a
// query's cost by a factor of 0.2 to 8 (measured for 151 queries). With its own context, each query costs the same
// number of units in any order.
struct Z3Session::Context {
  z3::context context;
};

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

// This reason replaces Z3's "canceled" if a CpuLimit interrupted Z3.
constexpr char kProcessor[] = "processor time";

struct Outcome {
  z3::check_result result = z3::unknown;
  std::string reason;
};

// The constructs in a query, which determine the strategy.
struct Contents {
  bool functions = false;  // uninterpreted, with arguments
  bool floats = false;
  bool numbers = false;  // reals and integers other than literals
  bool bit_vectors = false;
  bool others = false;  // quantifiers, arrays, declared sorts
};

void NoteSort(const z3::expr& term, Contents& contents) {
  const Z3_decl_kind kind = term.is_app() ? term.decl().decl_kind() : Z3_OP_UNINTERPRETED;
  switch (term.get_sort().sort_kind()) {
    case Z3_BOOL_SORT:
      return;
    case Z3_BV_SORT:
      contents.bit_vectors = true;
      return;
    case Z3_FLOATING_POINT_SORT:
    case Z3_ROUNDING_MODE_SORT:
      contents.floats = true;
      return;
    case Z3_INT_SORT:
    case Z3_REAL_SORT:
      // Ignore the numeral in ((_ to_fp 8 24) RNE 2.0), which every strategy folds. Count free constants and
      // conversions from other sorts.
      contents.numbers |= kind == Z3_OP_UNINTERPRETED || kind == Z3_OP_FPA_TO_REAL || kind == Z3_OP_BV2INT;
      return;
    default:
      contents.others = true;
  }
}

Contents Inspect(const std::vector<z3::expr>& assertions) {
  Contents contents;
  std::unordered_set<unsigned> seen;
  std::vector<z3::expr> open = assertions;
  while (!open.empty()) {
    const z3::expr term = open.back();
    open.pop_back();
    if (!seen.insert(Z3_get_ast_id(term.ctx(), term)).second) continue;
    NoteSort(term, contents);
    if (!term.is_app()) {
      contents.others = true;
      continue;
    }
    if (term.num_args() > 0 && term.decl().decl_kind() == Z3_OP_UNINTERPRETED) contents.functions = true;
    for (unsigned i = 0; i < term.num_args(); ++i) open.push_back(term.arg(i));
  }
  return contents;
}

z3::tactic Chain(z3::context& context, const std::vector<const char*>& names) {
  z3::tactic chain(context, names.front());
  for (size_t i = 1; i < names.size(); ++i) chain = chain & z3::tactic(context, names[i]);
  return chain;
}

// Returns a solver that removes functions and then converts floats to circuits. On five queries with `rcp` and f32
// arithmetic, Z3 4.8.12 took 6 to 74 ms each with Ackermannization before fpa2bv. Without that step, the same chain
// gives up ("incomplete") on four of the queries, and the default solver takes up to 3.6 s.
z3::solver NativeSolver(z3::context& context, bool functions, bool floats) {
  if (!functions && !floats)
    return Chain(context, {"simplify", "solve-eqs", "simplify", "bit-blast", "sat"}).mk_solver();
  if (!functions) return Chain(context, {"simplify", "fpa2bv", "simplify", "bit-blast", "sat"}).mk_solver();
  return Chain(context, {"simplify", "ackermannize_bv", "simplify", "fpa2bv", "simplify", "bit-blast", "sat"})
      .mk_solver();
}

uint64_t UnitsOf(const z3::solver& solver) {
  const z3::stats counted = solver.statistics();
  for (unsigned i = 0; i < counted.size(); ++i) {
    if (counted.key(i) != "rlimit count") continue;
    return counted.is_uint(i) ? counted.uint_value(i) : static_cast<uint64_t>(counted.double_value(i));
  }
  return 0;
}

std::string Plain(absl::string_view reason) {
  if (absl::StrContains(reason, "memory") || absl::StrContains(reason, "memout")) return "memory";
  if (absl::StrContains(reason, "resource limit")) return kOutOfBudget;
  if (reason == kProcessor) return kOutOfProcessor;
  for (const char* const word : {"timeout", "canceled", "interrupted"}) {
    if (absl::StrContains(reason, word)) return kOutOfTime;
  }
  return absl::StrCat("solver: ", reason.empty() ? "no reason given" : reason);
}

// Extracts the message from "(error "line 1 column 9: unknown constant x")".
std::string PlainError(absl::string_view message) {
  const std::string text(absl::StripAsciiWhitespace(message));
  const size_t start = text.find('"');
  const size_t end = text.find('"', start + 1);
  if (start == std::string::npos || end == std::string::npos) return text.substr(0, 300);
  return text.substr(start + 1, std::min<size_t>(end - start - 1, 300));
}

// All Z3 objects in a Query must be destroyed before the context.
class Query {
 public:
  Query(z3::context& context, const WorkerRequest& request) : context_(context), request_(request) {}

  void Run(SolverAnswer& answer) {
    Parse(answer);
    if (!answer.reason.empty()) return;
    const z3::solver solver = Choose(answer);
    if (!answer.reason.empty()) return;
    Decide(solver, answer);
  }

 private:
  Outcome Check(z3::solver solver) {
    const double processor_ms = static_cast<double>(request_.limits.processor_ms) - (ProcessorMilliseconds() - start_);
    const Milliseconds passed = std::chrono::steady_clock::now() - began_;
    const double wall_ms = static_cast<double>(request_.limits.wall_ms) - passed.count();
    if (processor_ms < 1) return {z3::unknown, kProcessor};
    if (wall_ms < 1) return {z3::unknown, "timeout"};
    if (units_ >= request_.limits.units) return {z3::unknown, "resource limit"};
    z3::params parameters(solver.ctx());
    parameters.set("timeout", static_cast<unsigned>(std::min(wall_ms, 4e9)));
    parameters.set("rlimit", static_cast<unsigned>(std::min<uint64_t>(request_.limits.units - units_, 4'000'000'000)));
    solver.set(parameters);
    for (const z3::expr& assertion : assertions_) solver.add(assertion);
    const uint64_t before = UnitsOf(solver);
    CpuLimit limit(processor_ms, [&] { solver.ctx().interrupt(); });
    const z3::check_result result = solver.check();
    const bool spent = limit.End();
    units_ += UnitsOf(solver) - before;
    if (result != z3::unknown) return {result, ""};
    if (units_ >= request_.limits.units) return {result, "resource limit"};
    return {result, spent ? kProcessor : solver.reason_unknown()};
  }

  // Parses the text, followed by an assertion `(= name name)` for each wanted constant. These assertions provide the
  // sorts of the constants and are not passed to the solver. Sets `answer.reason` if Z3 cannot parse the text.
  void Parse(SolverAnswer& answer) {
    std::string text = absl::StrCat(request_.text, "\n");
    for (const std::string& name : request_.wanted) absl::StrAppend(&text, "(assert (= |", name, "| |", name, "|))\n");
    try {
      const z3::expr_vector parsed = context_.parse_string(text.c_str());
      for (const z3::expr& assertion : parsed) assertions_.push_back(assertion);
    } catch (const z3::exception& error) {
      const std::string reason = Plain(error.msg());
      answer.reason = reason == "memory" ? reason : absl::StrCat("parse: ", PlainError(error.msg()));
      return;
    }
    for (size_t i = request_.wanted.size(); i > 0; --i) {
      const std::string& name = request_.wanted[i - 1];
      const bool constant = !assertions_.empty() && assertions_.back().is_eq() &&
                            assertions_.back().arg(0).is_const() &&
                            assertions_.back().arg(0).decl().name().str() == name;
      if (!constant) {
        answer.reason = absl::StrCat("parse: ", name, " is not a declared constant");
        return;
      }
      wanted_.insert(wanted_.begin(), assertions_.back().arg(0));
      assertions_.pop_back();
    }
  }

  z3::solver Choose(SolverAnswer& answer) {
    const Contents contents = Inspect(assertions_);
    switch (request_.tactic) {
      case Tactic::kUninterpreted:
        // For this logic, Z3 treats float operations as uninterpreted functions and answers "sat" with a meaningless
        // model.
        if (contents.floats || contents.numbers || contents.others) {
          answer.reason = "tactic: an uninterpreted query may contain only bit vectors and functions";
        }
        return z3::solver(context_, "QF_UFBV");
      case Tactic::kNative:
        if (contents.numbers || contents.others) break;
        may_retry_ = true;
        return NativeSolver(context_, contents.functions, contents.floats);
      case Tactic::kReal:
        if (contents.floats || contents.bit_vectors || contents.others) break;
        return z3::solver(context_, contents.functions ? "QF_UFNRA" : "QF_NRA");
      case Tactic::kInteger:
        if (contents.floats || contents.bit_vectors || contents.others) break;
        return z3::solver(context_, contents.functions ? "QF_UFLIA" : "QF_LIA");
    }
    return z3::solver(context_);
  }

  void Decide(z3::solver solver, SolverAnswer& answer) {
    Outcome verdict = Check(solver);
    if (may_retry_ && verdict.result == z3::unknown && absl::StrContains(verdict.reason, "incomplete")) {
      solver = z3::solver(context_);
      verdict = Check(solver);
    }
    answer.work_ms = static_cast<double>(units_) / CountingOfZ3(request_.tactic).units_per_ms;
    if (verdict.result == z3::unsat) {
      answer.answer = Answer::kUnsat;
    } else if (verdict.result == z3::sat) {
      TakeModel(solver.get_model(), answer);
    } else {
      answer.reason = Plain(verdict.reason);
    }
  }

  void TakeModel(const z3::model& model, SolverAnswer& answer) {
    if (request_.tactic != Tactic::kReal) {  // evaluating algebraic numbers may take forever
      for (const z3::expr& assertion : assertions_) {
        if (model.eval(assertion, true).is_false()) {
          answer.reason = "solver: its model contradicts the query";
          return;
        }
      }
    }
    answer.answer = Answer::kSat;
    for (size_t i = 0; i < wanted_.size(); ++i) {
      const z3::expr value = model.eval(wanted_[i], true);
      const std::optional<std::string> hex =
          value.is_bool() || value.is_bv() || value.is_int() ? LiteralToHex(value.to_string()) : std::nullopt;
      if (hex.has_value()) answer.model.emplace(request_.wanted[i], *hex);
    }
  }

  z3::context& context_;
  const WorkerRequest& request_;
  const double start_ = ProcessorMilliseconds();
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  uint64_t units_ = 0;  // total of all attempts
  std::vector<z3::expr> assertions_;
  std::vector<z3::expr> wanted_;
  bool may_retry_ = false;
};

}  // namespace

Z3Session::Z3Session() { Z3_toggle_warning_messages(false); }

Z3Session::~Z3Session() = default;

WorkerReply Z3Session::Answer(const WorkerRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  WorkerReply reply;
  reply.id = request.id;
  SolverAnswer& answer = reply.answer;
  answer.solver = absl::StrCat("Z3 ", Z3_get_full_version());
  const absl::Status script = CheckScript(request.text);
  if (!script.ok()) {
    answer.reason = absl::StrCat("parse: ", std::string(script.message()));
    return reply;
  }
  try {
    if (context_ == nullptr) context_ = std::make_unique<Context>();
    Query(context_->context, request).Run(answer);
  } catch (const z3::exception& error) {
    answer.answer = Answer::kUnknown;
    answer.model.clear();
    answer.reason = Plain(error.msg());
  } catch (const std::bad_alloc&) {
    answer.answer = Answer::kUnknown;
    answer.model.clear();
    answer.reason = "memory";
  }
  reply.retire = answer.reason == "memory";
  answer.milliseconds = Milliseconds(std::chrono::steady_clock::now() - start).count();
  return reply;
}

void Z3Session::Tidy() {
  context_ = nullptr;
  context_ = std::make_unique<Context>();
}

}  // namespace rewrought::verifier
