// An audit as the contract's JSON, as tables of text, and as one HTML page that needs no server.
#ifndef REWROUGHT_AUDIT_REPORT_H_
#define REWROUGHT_AUDIT_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "audit/audit.h"

namespace rewrought::audit {

// What stands beside each rule when there is an earlier audit or a waiver file; by rule, or empty.
struct ReportNotes {
  std::vector<std::string> was;     // its earlier class, "new" if it is new
  std::vector<std::string> waived;  // the reason; "" if it is not waived
};

// The object of rule `index` (docs/commands.md 11), with further fields "id", "inexact", "lowering",
// "note", "verified_as", "statement", "weakest", "suggested_fix", "was", "waived" where they say something.
nlohmann::json RuleJson(const AuditReport& report, size_t index, const ReportNotes& notes);

// Each refuted rule that is not waived: place, rule, witness, reproducer, suggested_fix. Ends with a newline if not
// empty.
std::string FindingsText(const AuditReport& report, const ReportNotes& notes);

// Rules by pass and class, what share of cases was decided, unreadable files.
std::string SummaryText(const AuditReport& report);

// "printf '%s\n' "…" | rewrought check - --explain", quoted for a POSIX shell.
std::string Reproducer(const AuditedRule& rule);

// The page: `title` is what was audited. Text from rules is escaped; nothing is loaded from elsewhere.
std::string HtmlPage(const AuditReport& report, const ReportNotes& notes, const std::string& title);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_REPORT_H_
