// Finds the rules of an open file, which may have unsaved changes: a rule file of a Mesa tree, whose rules Mesa's
// Python code expands, or a plain rule file, as `rewrought check` reads it.
#ifndef REWROUGHT_LSP_RULE_FILE_H_
#define REWROUGHT_LSP_RULE_FILE_H_

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "audit/mesa_rules.h"
#include "audit/question.h"
#include "lsp/text_lines.h"
#include "verifier/rule_check.h"

namespace rewrought::lsp {

// Returns the elements of a Python tuple, list, or call whose text starts at text[0] with a bracket, without the spaces
// and comments around them. Returns an empty list if the brackets or quotes are not balanced.
std::vector<absl::string_view> ElementsOf(absl::string_view text);

struct FileRule {
  audit::MesaRule source;                           // `pass` is empty in a plain rule file.
  std::shared_ptr<const audit::Question> question;  // Null if the importer cannot represent the rule.
  ByteRange range;                                  // The rule's tuple if `is_literal`, else its line.
  bool is_literal = false;                          // Whether the text at `range` is the rule itself.
  std::optional<size_t> shadowed_by;                // An index into the list of rules.
};

// A message about a part of the file that could not be read.
struct Problem {
  ByteRange range;
  std::string message;
};

struct RuleList {
  std::vector<FileRule> rules;
  std::vector<Problem> problems;
};

enum class FileKind : uint8_t {
  kRules,  // a plain rule file
  kMesa,   // a Python file of a Mesa tree that imports nir_algebraic
  kOther,  // any other Python file, which is ignored
};

// Reads successive versions of one file, and reuses the questions of unchanged rules. Not thread-safe.
class RuleFile {
 public:
  // `check` contains the modes and, for a plain rule file, the dialect. `limits` is as for audit::MakeQuestion.
  RuleFile(std::string path, verifier::RuleCheckOptions check, std::string limits);

  const std::string& path() const { return path_; }
  FileKind KindOf(absl::string_view text) const;

  // Returns all rules of a plain rule file, or the rules of a Mesa file that a top-level list contains as literals. In
  // the latter case, returns no problems, and no rules before the first call of ReadImported. Also omits a rule with a
  // Python name that may denote anything but the variable of the same name; only the importer can read it.
  RuleList ReadLiterals(const TextLines& lines);

  // Returns all rules of a Mesa file. `imported` contains the rules of the same text.
  RuleList ReadImported(const TextLines& lines, const audit::MesaRules& imported);

 private:
  // Returns the literals of a Mesa file, whatever their names denote.
  std::vector<FileRule> LiteralsOf(const TextLines& lines, const std::vector<bool>& in_list);
  std::shared_ptr<const audit::Question> QuestionOf(const audit::MesaRule& rule);
  std::shared_ptr<const audit::Question> QuestionAsWritten(absl::string_view text);
  // Returns the question stored under `memo`, or the result of `make`, and stores it.
  template <typename Make>
  std::shared_ptr<const audit::Question> Remember(std::string memo, Make make);
  // Drops the questions that no call has returned since the last call of ForgetUnused.
  void ForgetUnused();

  const std::string path_;
  const bool is_python_, in_tree_;
  verifier::RuleCheckOptions check_;
  const std::string limits_;
  bool imported_ = false;  // Whether the dialect and `sizes_` are known.
  audit::SourceSizes sizes_;
  // The names that denoted variables in the imported text, and its lines outside the lists of rules.
  std::set<std::string> variables_, other_lines_;
  std::map<std::string, std::shared_ptr<const audit::Question>> known_, used_;
};

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_RULE_FILE_H_
