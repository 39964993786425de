// Writes an audit as JSON, as text tables, and as a self-contained HTML page.
#ifndef REWROUGHT_AUDIT_REPORT_H_
#define REWROUGHT_AUDIT_REPORT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "audit/audit.h"

namespace rewrought::audit {

// Notes from an earlier audit and from a waiver file. Each list is indexed by rule, or is empty.
struct ReportNotes {
  std::vector<std::string> was;     // The rule's class in the earlier audit, or "new".
  std::vector<std::string> waived;  // The waiver's reason, or "" if the rule is not waived.
  // States which verdict file lists the refuted rule, so that it does not fail an offline audit, or "".
  std::vector<std::string> known;

  // Returns why the refuted rule `index` is accepted: the waiver's reason or `known`. Returns "" if it is not accepted.
  std::string WhyAccepted(size_t index) const;
};

// Returns the JSON object of rule `index` (docs/commands.md, section 11). The fields "note", "verified_as",
// "statement", "weakest", "suggested_fix", "was", "waived", "known", and "offline" are optional.
nlohmann::json RuleJson(const AuditReport& report, size_t index, const ReportNotes& notes);

// Returns the inputs and results of the first refuted case, as lines that begin with `indent`, or "" if there is no
// witness.
std::string FirstWitness(const AuditedRule& rule, absl::string_view indent);

// Returns a shell command that refutes the rule again.
std::string ReproducerOf(const AuditReport& report, const AuditedRule& rule);

// Returns the reason for the rule's verdict, normally that of the first case with the same verdict.
std::string ReasonOf(const AuditedRule& rule);

// Escapes the characters that are special in HTML and XML.
std::string EscapeMarkup(absl::string_view text);

// Returns a list of the refuted rules that are not accepted, each with its position, witness, reproducer, and suggested
// fix. The text ends with a newline unless it is empty.
std::string FindingsText(const AuditReport& report, const ReportNotes& notes);

// Returns tables that count the rules by pass and class, the percentage of decided cases, and the unreadable files.
std::string SummaryText(const AuditReport& report);

// Returns an HTML page whose title names the audited tree. Escapes text from rules. The page does not load any other
// resource.
std::string HtmlPage(const AuditReport& report, const ReportNotes& notes, const std::string& title);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_REPORT_H_
