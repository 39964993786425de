#include "emitter/tablegen/dag.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace rewrought::emitter {
namespace {

constexpr int kMaxDepth = 200;

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '!'; }

class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<Dag> Value(int depth) {
    if (depth > kMaxDepth) return absl::InvalidArgumentError("a DAG is nested too deeply");
    if (Accept('(')) return Inner(Dag::Kind::kList, Word(), ')', depth);
    std::string head = Word();
    if (!head.empty() && head[0] == '!') {
      if (!Accept('(')) return Expected("'('");
      return Inner(Dag::Kind::kCall, std::move(head), ')', depth);
    }
    const bool typed = !head.empty() && Accept(':');
    std::string name;
    if (Accept('$')) name = Word();
    if ((typed || head.empty()) && name.empty()) return Expected("a value");
    return Atom(std::move(head), std::move(name));
  }

  absl::string_view rest() const { return text_.substr(at_); }

 private:
  absl::Status Expected(absl::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat(what, " is expected before '", rest().substr(0, 20), "'"));
  }

  absl::StatusOr<Dag> Inner(Dag::Kind kind, std::string head, char end, int depth) {
    if (head.empty()) return Expected("an operator");
    Dag dag{kind, std::move(head), "", {}};
    while (!Accept(end)) {
      if (!dag.arguments.empty() && !Accept(',')) return Expected("',' or ')'");
      absl::StatusOr<Dag> argument = Value(depth + 1);
      if (!argument.ok()) return argument;
      dag.arguments.push_back(*std::move(argument));
    }
    return dag;
  }

  void SkipSpace() {
    while (at_ < text_.size() && absl::ascii_isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Accept(char c) {
    SkipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string Word() {
    SkipSpace();
    const size_t start = at_;
    while (at_ < text_.size() && IsWord(text_[at_])) ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  absl::string_view text_;
  size_t at_ = 0;
};

void Append(const Dag& dag, std::string* text) {
  if (dag.kind == Dag::Kind::kAtom) {
    const bool both = !dag.head.empty() && !dag.name.empty();
    absl::StrAppend(text, dag.head, both ? ":" : "", dag.name.empty() ? "" : "$", dag.name);
    return;
  }
  const bool list = dag.kind == Dag::Kind::kList;
  absl::StrAppend(text, list ? "(" : "", dag.head, list ? "" : "(");
  for (size_t i = 0; i < dag.arguments.size(); ++i) {
    absl::StrAppend(text, i > 0 ? ", " : list ? " " : "");
    Append(dag.arguments[i], text);
  }
  text->push_back(')');
}

}  // namespace

Dag Atom(std::string head, std::string name) { return {Dag::Kind::kAtom, std::move(head), std::move(name), {}}; }

Dag List(std::string head, std::vector<Dag> arguments) {
  return {Dag::Kind::kList, std::move(head), "", std::move(arguments)};
}

std::string PrintDag(const Dag& dag) {
  std::string text;
  Append(dag, &text);
  return text;
}

absl::StatusOr<Dag> TakeDag(absl::string_view* text) {
  Parser parser(*text);
  absl::StatusOr<Dag> dag = parser.Value(0);
  if (dag.ok()) *text = parser.rest();
  return dag;
}

}  // namespace rewrought::emitter
