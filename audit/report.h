// Writes an audit as JSON, as tables of text, and as one self-contained HTML page.
#ifndef REWROUGHT_AUDIT_REPORT_H_
#define REWROUGHT_AUDIT_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "audit/audit.h"

namespace rewrought::audit {

// Notes from an earlier audit and a waiver file, by rule, or empty.
struct ReportNotes {
  std::vector<std::string> was;     // its earlier class; "new" for a new rule
  std::vector<std::string> waived;  // the reason; "" if the rule is not waived
};

// Returns the JSON object of rule `index` (docs/commands.md, section 11), with the additional fields "id", "inexact"
// and "lowering", and "note", "verified_as", "statement", "weakest", "suggested_fix", "was" and "waived" if they are
// not empty.
nlohmann::json RuleJson(const AuditReport& report, size_t index, const ReportNotes& notes);

// Lists refuted rules without a waiver, with position, witness, reproducer and suggested fix. Ends with a newline
// unless empty.
std::string FindingsText(const AuditReport& report, const ReportNotes& notes);

// Counts rules by pass and class, the share of decided cases, and unreadable files.
std::string SummaryText(const AuditReport& report);

// Returns "printf '%s\n' "…" | rewrought check - --explain", quoted for a POSIX shell.
std::string Reproducer(const AuditedRule& rule);

// `title` names the audited tree. Escapes text from rules, and loads nothing from elsewhere.
std::string HtmlPage(const AuditReport& report, const ReportNotes& notes, const std::string& title);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_REPORT_H_
