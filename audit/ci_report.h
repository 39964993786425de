// Writes an audit in the formats that CI systems display: JUnit XML, GitLab's Code Quality JSON, and SARIF 2.1.0.
// Reports refuted rules as errors, with a witness. Reports rules that are accepted, undecided, or missing from the
// verdict file as notes or skipped tests. Each report ends with a line feed.
#ifndef REWROUGHT_AUDIT_CI_REPORT_H_
#define REWROUGHT_AUDIT_CI_REPORT_H_

#include <string>

#include "audit/audit.h"
#include "audit/report.h"

namespace rewrought::audit {

// Returns JUnit XML with one suite per pass and one test case per rule that was reached. The name of a test case does
// not contain the rule's line, so GitLab recognizes the rule in the report of the target branch.
std::string JUnitXml(const AuditReport& report, const ReportNotes& notes);

// Returns the JSON array of GitLab's Code Quality report, with one entry per refuted, unknown, or unsupported rule. The
// fingerprint is MesaRule::Id, with a suffix if another rule of the report has the same id.
std::string CodeQualityJson(const AuditReport& report, const ReportNotes& notes);

// Returns a SARIF log with one result per refuted, unknown, or unsupported rule. The result of an accepted rule is
// suppressed, and the justification is the waiver's reason.
std::string SarifJson(const AuditReport& report, const ReportNotes& notes);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_CI_REPORT_H_
