// Reads and writes the verdict file that is committed to a tree (docs/formats.md). It has one line per rule, so version
// control can merge it line by line, and it lets an audit run without solvers.
#ifndef REWROUGHT_AUDIT_RECORD_TREE_VERDICTS_H_
#define REWROUGHT_AUDIT_RECORD_TREE_VERDICTS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::audit {

// The first line of a verdict file: the name of the format and its version.
inline constexpr absl::string_view kTreeVerdictsHeader = "rewrought-verdicts 1";

struct TreeVerdict {
  std::string id;                             // MesaRule::Id
  v1::Verdict verdict = v1::VERDICT_UNKNOWN;  // one of kAuditClasses
  std::string key;                            // ShortKey of the question's key
  std::vector<std::string> queries;           // short digests of unsatisfiable queries (verifier/cache/unsat_digests.h)
  int line = 0;                               // the line in the file, for messages
};

// Returns the short form (verifier::ShortForm) of a Question::key, which has 64 hex digits.
std::string ShortKey(absl::string_view question_key);

class TreeVerdicts {
 public:
  // Parses a verdict file. The lines may have any order and may repeat, because a merge can combine the lines of both
  // sides. Returns InvalidArgument "file:line:1: ...", with the remedy, if the header is missing, a line is malformed
  // or truncated, or two lines contain different verdicts for the same key, unless one of the verdicts is unknown.
  static absl::StatusOr<TreeVerdicts> Parse(absl::string_view text, const std::string& file);

  // Adds a verdict, whose fields must be valid.
  void Add(TreeVerdict verdict) { Insert(std::move(verdict)); }

  // Returns the file's text: the header, and the sorted lines without duplicates.
  std::string Text() const;

  // Returns the class that the file states for a key, or VERDICT_UNSPECIFIED if the file lacks the key. If an unknown
  // verdict and another verdict have the same key, returns the other verdict.
  v1::Verdict ClassOf(const std::string& short_key) const;

  // Returns whether a line with this id states that the rule is refuted, with any key.
  bool ListsAsRefuted(const std::string& rule_id) const { return refuted_ids_.contains(rule_id); }

  // Returns whether a line contains the digest, for any rule: whether a query is unsatisfiable does not depend on the
  // rule that needs it.
  bool HasQuery(const std::string& digest) const { return queries_.contains(digest); }

  // Returns the number of the first line that is not in order, or 0 if the file is sorted.
  int unsorted_line() const { return unsorted_line_; }
  size_t size() const { return by_key_.size(); }

 private:
  // Returns the earlier verdict of the same key if it contradicts this verdict, else nullptr.
  const TreeVerdict* Insert(TreeVerdict verdict);

  std::map<std::string, TreeVerdict> by_key_;  // the decided verdict of each key, or the unknown one
  std::set<std::string> lines_, refuted_ids_, queries_;
  int unsorted_line_ = 0;
};

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_RECORD_TREE_VERDICTS_H_
