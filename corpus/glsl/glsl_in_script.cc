#include "corpus/glsl/glsl_in_script.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "corpus/glsl/glsl_reader.h"
#include "proto/parse_limits.h"

namespace rewrought::corpus {
namespace {

class ScriptScanner {
 public:
  explicit ScriptScanner(absl::string_view script) : script_(script) {
    if (!budget_.TakeBytes(script.size())) script_ = "";
  }

  std::vector<ScriptLiteral> Scan();

 private:
  char At(size_t i) const { return i < script_.size() ? script_[i] : '\0'; }
  bool ExpectsOperand() const { return last_ == '\0' || absl::StrContains("(,=:[!&|?{};+-*%<>~^", last_); }
  void SkipLine() { place_ = std::min(script_.size(), script_.find('\n', place_)); }
  void SkipBlockComment() {
    const size_t end = script_.find("*/", place_ + 2);
    place_ = end == absl::string_view::npos ? script_.size() : end + 2;
  }
  void SkipRegularExpression();
  int LineOf(size_t place);
  void TakeLiteral(char quote);
  void SkipSubstitution();
  void TakeEscape(std::string* text);

  absl::string_view script_;
  size_t place_ = 0;
  char last_ = '\0';  // the last character that is neither a space nor in a comment
  // Each template literal inside a substitution of another one is one level of nesting.
  proto::ParseBudget budget_{proto::kScriptLimits};
  // The position up to which lines have been counted.
  size_t counted_to_ = 0;
  int lines_ = 0;
  std::vector<ScriptLiteral> found_;
};

std::vector<ScriptLiteral> ScriptScanner::Scan() {
  while (place_ < script_.size()) {
    const char c = script_[place_];
    if (c == '/' && At(place_ + 1) == '/') {
      SkipLine();
    } else if (c == '/' && At(place_ + 1) == '*') {
      SkipBlockComment();
    } else if (c == '"' || c == '\'' || c == '`') {
      TakeLiteral(c);
      last_ = c;
    } else if (c == '/' && ExpectsOperand()) {
      SkipRegularExpression();
    } else {
      if (!absl::ascii_isspace(static_cast<unsigned char>(c))) last_ = c;
      ++place_;
    }
  }
  if (!budget_.ok()) found_.push_back({"", lines_ + 1, budget_.error()});
  return std::move(found_);
}

// Skips to the closing '/', ignoring a '/' in brackets or after a backslash. Never skips beyond the line.
void ScriptScanner::SkipRegularExpression() {
  bool in_class = false;
  for (++place_; place_ < script_.size() && script_[place_] != '\n'; ++place_) {
    const char c = script_[place_];
    if (c == '\\') {
      ++place_;
    } else if (c == '[') {
      in_class = true;
    } else if (c == ']') {
      in_class = false;
    } else if (c == '/' && !in_class) {
      ++place_;
      break;
    }
  }
  last_ = '/';
}

void ScriptScanner::TakeEscape(std::string* text) {
  const char c = At(++place_);
  switch (c) {
    case 'n':
      text->push_back('\n');
      break;
    case 't':
      text->push_back('\t');
      break;
    case 'r':
      break;
    case '\n':
      break;  // the line continues
    case '\0':
      return;
    default:
      text->push_back(c);
      break;
  }
  ++place_;
}

// Returns the line number of `place`, which must not decrease between calls.
int ScriptScanner::LineOf(size_t place) {
  lines_ += static_cast<int>(std::count(script_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                                        script_.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
  counted_to_ = place;
  return lines_ + 1;
}

void ScriptScanner::TakeLiteral(char quote) {
  ScriptLiteral literal;
  literal.line = LineOf(place_);
  ++place_;
  while (place_ < script_.size() && script_[place_] != quote) {
    if (script_[place_] == '\\') {
      TakeEscape(&literal.text);
      continue;
    }
    // Only a template literal can span several lines, so any other literal ends here.
    if (script_[place_] == '\n' && quote != '`') return;
    if (quote == '`' && script_[place_] == '$' && At(place_ + 1) == '{') {
      literal.unusable = "template with substitutions";
      SkipSubstitution();
      continue;
    }
    literal.text.push_back(script_[place_++]);
  }
  ++place_;
  if (!LooksLikeGlsl(literal.text) || !budget_.TakeItems()) return;
  if (literal.unusable.empty() && absl::StrContains(literal.text, "#include")) literal.unusable = "needs #include";
  found_.push_back(std::move(literal));
}

// Skips from "${" past the matching '}'. Literals in the substitution are scanned like all others.
void ScriptScanner::SkipSubstitution() {
  place_ += 2;
  const proto::ParseLevel level(&budget_);
  if (!level.ok()) place_ = script_.size();
  for (int depth = 1; place_ < script_.size() && depth > 0;) {
    const char c = script_[place_];
    if (c == '"' || c == '\'' || c == '`') {
      TakeLiteral(c);
      continue;
    }
    if (c == '{') ++depth;
    if (c == '}') --depth;
    ++place_;
  }
}

}  // namespace

std::vector<ScriptLiteral> GlslLiterals(absl::string_view script) { return ScriptScanner(script).Scan(); }

}  // namespace rewrought::corpus
