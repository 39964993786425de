// Compares an audit with an earlier one, and applies a maintainer's waivers.
#ifndef REWROUGHT_AUDIT_AUDIT_CHANGES_H_
#define REWROUGHT_AUDIT_AUDIT_CHANGES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "audit/audit.h"

namespace rewrought::audit {

// A line of a waiver file. It names a rule, by its tuple "(search, replace)" or by its id, and continues with '#' and
// the reason. "file:line:" may precede the rule.
struct Waiver {
  int line = 0;
  std::string what;  // The canonical text of the tuple, or the id.
  bool is_id = false;
  std::string reason;
  bool used = false;   // True if the waiver applies to a refuted rule of this audit.
  bool known = false;  // True if the waiver names a rule of this audit.
};

// Parses a waiver file. Skips empty lines and lines that start with '#'. Returns InvalidArgument "file:line: ..." if a
// line has no reason or names no rule.
absl::StatusOr<std::vector<Waiver>> ParseWaivers(absl::string_view text, const std::string& file);

// Returns, for each rule, the index of the waiver that names the rule, or -1 if there is none. Sets `used` and `known`
// of the waivers.
std::vector<int> ApplyWaivers(const AuditReport& report, std::vector<Waiver>* waivers);

// An earlier audit. Finds a rule by its search side, replacement, and condition, regardless of pass and line. If no
// rule with these sides has this condition, ignores the condition.
class EarlierAudit {
 public:
  // Parses the JSON lines of an audit. Returns InvalidArgument "file:line: ..." if the text is malformed.
  static absl::StatusOr<EarlierAudit> Parse(absl::string_view json_lines, const std::string& file);

  // Returns the class of the rule in the earlier audit, or "" if the rule is new. If the rule occurs several times,
  // returns the worst class; from worst to best, the classes are refuted, unknown, unsupported, vacuous, inexact, and
  // proved.
  std::string ClassOf(const MesaRule& rule) const;

  // Returns the earlier rules that `report` lacks, as "file:line class (search, replace)".
  std::vector<std::string> RemovedRules(const AuditReport& report) const;

 private:
  struct Entry {
    std::string verdict;
    std::string place;
    std::string rule;
  };
  std::map<std::string, Entry> by_text_;
};

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_AUDIT_CHANGES_H_
