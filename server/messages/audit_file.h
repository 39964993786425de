// Holds in memory one file that `rewrought audit --json` wrote. Lists and filters use a summary of each finding; the
// cases of a finding are parsed on request.
#ifndef REWROUGHT_SERVER_MESSAGES_AUDIT_FILE_H_
#define REWROUGHT_SERVER_MESSAGES_AUDIT_FILE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "proto/rewrought/v1/audit_service.pb.h"

namespace rewrought::rpc {

class AuditFile {
 public:
  // Parses JSON lines and counts the lines that are not findings. `name` and `modified` are copied into the summary.
  AuditFile(std::string text, const std::string& name, absl::Time modified);

  const v1::Audit& summary() const { return summary_; }
  size_t size() const { return rows_.size(); }
  const v1::AuditFinding& finding(size_t number) const { return rows_[number].finding; }
  // Returns whether the finding's search or replacement uses the op.
  bool HasOp(size_t number, const std::string& op) const { return rows_[number].ops.contains(op); }

  // Returns the finding with its cases. `number` must be less than size().
  v1::GetAuditFindingResponse Whole(size_t number) const;

 private:
  struct Row {
    v1::AuditFinding finding;
    std::set<std::string> ops;
    size_t at = 0, length = 0;  // position of the finding's line in text_
  };

  const std::string text_;
  std::vector<Row> rows_;
  v1::Audit summary_;
};

}  // namespace rewrought::rpc

#endif  // REWROUGHT_SERVER_MESSAGES_AUDIT_FILE_H_
