#include "server/audit/wide_vectors.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace rewrought::audit {
namespace {

// A tuple, or one of its atoms as written ('a', 0.0, True).
struct Tree {
  std::string atom;
  std::vector<Tree> list;
};

void SkipBlanks(absl::string_view* text) { *text = absl::StripLeadingAsciiWhitespace(*text); }

std::optional<Tree> Parse(absl::string_view* text) {
  SkipBlanks(text);
  Tree tree;
  if (absl::ConsumePrefix(text, "(")) {
    for (;;) {
      SkipBlanks(text);
      if (absl::ConsumePrefix(text, ")")) return tree;
      std::optional<Tree> part = Parse(text);
      if (!part.has_value()) return std::nullopt;
      tree.list.push_back(*std::move(part));
      SkipBlanks(text);
      absl::ConsumePrefix(text, ",");
    }
  }
  if (text->empty()) return std::nullopt;
  const bool quoted = text->front() == '\'';
  const size_t end = quoted ? text->find('\'', 1) : text->find_first_of(",() ");
  if (quoted && end == absl::string_view::npos) return std::nullopt;
  const size_t length = std::min(quoted ? end + 1 : end, text->size());
  if (length == 0) return std::nullopt;
  tree.atom = std::string(text->substr(0, length));
  text->remove_prefix(length);
  return tree;
}

// "'x'" as "x"; empty for what is not quoted.
absl::string_view Unquoted(const Tree& tree) {
  absl::string_view text = tree.atom;
  if (!absl::ConsumePrefix(&text, "'") || !absl::ConsumeSuffix(&text, "'")) return {};
  return text;
}

struct WideOp {
  const char* stem;  // ball_iequal of ball_iequal8
  const char* join;  // of the results for 4 components each
};

// fmin and fmax of 0.0 and 1.0 are "and" and "or" of truths.
constexpr WideOp kWideOps[] = {
    {"ball_iequal", "iand"}, {"ball_fequal", "iand"}, {"bany_inequal", "ior"}, {"bany_fnequal", "ior"},
    {"fall_equal", "fmin"},  {"fany_nequal", "fmax"}, {"fdot", "fadd"},
};

class Splitter {
 public:
  // Nothing where the rule has another shape.
  std::optional<std::string> Whole(const Tree& tree) {
    if (tree.list.empty()) return Atom(tree, -1);
    int components = 0;
    if (const WideOp* op = FindWide(tree, &components); op != nullptr) return Reduced(*op, tree, components);
    return Mapped(tree, [this](const Tree& part) { return Whole(part); });
  }
  bool any() const { return any_; }

 private:
  static const WideOp* FindWide(const Tree& tree, int* components) {
    absl::string_view name = Unquoted(tree.list[0]);
    for (const WideOp& op : kWideOps) {
      absl::string_view digits = name;
      if (absl::ConsumePrefix(&digits, op.stem) && absl::SimpleAtoi(digits, components) &&
          (*components == 8 || *components == 16) && tree.list.size() == 3) {
        return &op;
      }
    }
    return nullptr;
  }

  template <typename Function>
  static std::optional<std::string> Mapped(const Tree& tree, const Function& function) {
    std::string text = absl::StrCat("(", tree.list[0].atom);
    if (tree.list[0].atom.empty()) {
      std::optional<std::string> first = function(tree.list[0]);
      if (!first.has_value()) return std::nullopt;
      text = "(" + *first;
    }
    for (size_t i = 1; i < tree.list.size(); ++i) {
      std::optional<std::string> part = function(tree.list[i]);
      if (!part.has_value()) return std::nullopt;
      absl::StrAppend(&text, ", ", *part);
    }
    return text + ")";
  }

  // Part `group` of a variable or literal; -1: of what has a swizzle, or of a literal, only.
  static std::optional<std::string> Atom(const Tree& tree, int group) {
    absl::string_view name = Unquoted(tree), swizzle;
    if (name.empty()) return tree.atom;
    const size_t dot = name.find('.');
    if (dot != absl::string_view::npos) {
      if (group >= 0 || name.size() != dot + 2 || name[dot + 1] < 'a' || name[dot + 1] > 'p') return std::nullopt;
      const int component = name[dot + 1] - 'a';
      group = component / 4;
      swizzle = absl::string_view(".x.y.z.w").substr(static_cast<size_t>(2 * (component % 4)), 2);
      name = name.substr(0, dot);
    }
    if (group < 0 || !std::all_of(name.begin(), name.end(), absl::ascii_isalpha)) return std::nullopt;
    return absl::StrCat("'", name, "q", std::string(1, static_cast<char>('a' + group)), swizzle, "'");
  }

  static std::optional<std::string> Part(const Tree& tree, int group) {
    if (tree.list.empty()) return Atom(tree, group);
    return Mapped(tree, [group](const Tree& part) { return Part(part, group); });
  }

  std::optional<std::string> Reduced(const WideOp& op, const Tree& tree, int components) {
    any_ = true;
    std::string text;
    for (int group = components / 4 - 1; group >= 0; --group) {
      const std::optional<std::string> x = Part(tree.list[1], group), y = Part(tree.list[2], group);
      if (!x.has_value() || !y.has_value()) return std::nullopt;
      const std::string step = absl::StrCat("('", op.stem, "4', ", *x, ", ", *y, ")");
      text = text.empty() ? step : absl::StrCat("('", op.join, "', ", text, ", ", step, ")");
    }
    return text;
  }

  bool any_ = false;
};

}  // namespace

std::string WithoutWideVectors(const std::string& rule) {
  absl::string_view rest = rule;
  const std::optional<Tree> tree = Parse(&rest);
  if (!tree.has_value() || tree->list.size() != 2) return rule;
  Splitter splitter;
  const std::optional<std::string> search = splitter.Whole(tree->list[0]);
  if (!search.has_value()) return rule;
  const std::optional<std::string> replace = splitter.Whole(tree->list[1]);
  if (!replace.has_value() || !splitter.any()) return rule;
  return absl::StrCat("(", *search, ", ", *replace, ")");
}

}  // namespace rewrought::audit
