// What changed since an earlier audit, and findings that a maintainer has waived.
#ifndef REWROUGHT_AUDIT_AUDIT_CHANGES_H_
#define REWROUGHT_AUDIT_AUDIT_CHANGES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "audit/audit.h"

namespace rewrought::audit {

// One line of a waiver file: a rule as a tuple, "(search, replace)", or its id, maybe after "file:line:", then '#' and
// why.
struct Waiver {
  int line = 0;
  std::string what;  // the tuple in canonical text, or the id
  bool is_id = false;
  std::string reason;
  bool used = false;   // waives a refuted rule of this audit
  bool known = false;  // names some rule of this audit
};

// Parses a waiver file; empty lines and lines that start with '#' are skipped. InvalidArgument "file:line: ..." where a
// line has no reason or names nothing.
absl::StatusOr<std::vector<Waiver>> ParseWaivers(absl::string_view text, const std::string& file);

// For each rule of `report`: the waiver that names it (index into `waivers`), or -1. Marks those that are used and
// known.
std::vector<int> ApplyWaivers(const AuditReport& report, std::vector<Waiver>* waivers);

// What an earlier audit said, from its JSON lines. A rule is known again by search, replace and condition, in any
// pass and line; a rule whose condition is new by search and replace.
class EarlierAudit {
 public:
  // InvalidArgument "file:line: ..." for what is no audit.
  static absl::StatusOr<EarlierAudit> Parse(absl::string_view json_lines, const std::string& file);

  // The class that a rule had, the worst if it stood there more than once: refuted, unknown, unsupported, vacuous,
  // inexact, proved. "": it was not there.
  std::string ClassOf(const MesaRule& rule) const;

  // Rules of the earlier audit that `report` does not have, as "file:line class (search, replace)".
  std::vector<std::string> Gone(const AuditReport& report) const;

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
