// An open file, its rules, and the diagnostics that an editor shows for them.
#ifndef REWROUGHT_LSP_DOCUMENT_H_
#define REWROUGHT_LSP_DOCUMENT_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "audit/mesa_rules.h"
#include "lsp/rule_file.h"
#include "lsp/text_lines.h"

namespace rewrought::lsp {

// Returns the answer to the question with this key, or null if there is none yet.
using FindAnswer = std::function<std::shared_ptr<const Json>(const std::string& key)>;

// Not thread-safe.
class Document {
 public:
  Document(RuleFile file, std::string uri) : file_(std::move(file)), uri_(std::move(uri)) {}

  const std::string& uri() const { return uri_; }
  const RuleFile& file() const { return file_; }
  // The lines of the current version, which later changes do not affect.
  std::shared_ptr<const TextLines> lines() const { return lines_; }
  const RuleList& list() const { return list_; }
  int64_t version() const { return version_; }
  FileKind kind() const { return kind_; }

  // Replaces the text. Reads the literal rules, and keeps the other rules on lines that have not changed.
  void SetText(int64_t version, TextLines lines);
  // Replaces the rules of a Mesa file by the rules of the current text.
  void SetImported(const audit::MesaRules& imported);
  // Reports a failed import as a problem of the first line.
  void SetImportError(std::string message);
  // Sets the shadowing rule of each rule of the last SetImported. The text must not have changed since.
  void SetShadows(const std::vector<std::optional<size_t>>& shadows);

  // The distinct questions of all rules. The first `urgent` questions are new since the previous text. The others are
  // ordered by their distance from the last edit.
  struct Questions {
    std::vector<std::shared_ptr<const audit::Question>> all;
    size_t urgent = 0;
  };
  Questions QuestionsByUrgency() const;

  bool Asks(const std::string& key) const { return keys_.contains(key); }
  bool IsUrgent(const std::string& key) const { return new_keys_.contains(key); }

  // Returns the first literal rule whose text overlaps the range, or null.
  const FileRule* LiteralAt(ByteRange range) const;
  // Returns all rules at an offset.
  std::vector<const FileRule*> RulesAt(size_t offset) const;

  // Returns the parameters of textDocument/publishDiagnostics.
  Json Diagnostics(const FindAnswer& find) const;

 private:
  // Updates the sets of keys for the current rules. If `same_text`, the keys that were new remain new.
  void UpdateKeys(bool same_text);

  RuleFile file_;
  const std::string uri_;
  int64_t version_ = 0;
  FileKind kind_ = FileKind::kOther;
  std::shared_ptr<const TextLines> lines_ = std::make_shared<const TextLines>();
  RuleList list_;
  size_t edited_line_ = 0;
  bool complete_ = false;  // Whether all rules have been read once.
  // The keys of the current rules, those that were not in the previous text, and those that the file did not have when
  // it was opened.
  std::set<std::string> keys_, new_keys_, typed_keys_;
};

}  // namespace rewrought::lsp

#endif  // REWROUGHT_LSP_DOCUMENT_H_
