// CheckService: verifies one rule within the caller's deadline.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/dialect/nir26_rows.h"
#include "ir/semantics.h"
#include "machine/semantics.h"
#include "proto/rewrought/v1/check_service.pb.h"
#include "server/handlers/prover_limits.h"
#include "server/handlers/services.h"
#include "server/handlers/verdict_cache.h"
#include "server/messages/rule_proto.h"
#include "server/messages/status.h"
#include "server/messages/time_proto.h"
#include "server/messages/verdict_proto.h"
#include "verifier/entry_check.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::rpc {
namespace {

absl::StatusOr<verifier::RuleCheckOptions> ReadOptions(const v1::CheckRuleRequest& request) {
  verifier::RuleCheckOptions options;
  for (int i = 0; i < request.widths_size(); ++i) {
    const uint32_t width = request.widths(i);
    if (width != 1 && width != 8 && width != 16 && width != 32 && width != 64) {
      return FieldError(absl::StrCat("widths[", i, "]"),
                        absl::StrCat(width, " is not a width; use 1, 8, 16, 32 or 64"));
    }
    options.widths.push_back(static_cast<int>(width));
  }
  if (request.modes_size() > 0) options.modes.clear();
  for (int i = 0; i < request.modes_size(); ++i) {
    const absl::StatusOr<ir::DenormMode> mode = ModeFromProto(request.modes(i), absl::StrCat("modes[", i, "]"));
    if (!mode.ok()) return mode.status();
    options.modes.push_back(*mode);
  }
  // Sort the modes, because the verdict lists its cases in this order.
  std::sort(options.modes.begin(), options.modes.end());
  options.modes.erase(std::unique(options.modes.begin(), options.modes.end()), options.modes.end());
  options.literals_exact = request.exact_literals();
  options.infer = request.infer();
  const absl::StatusOr<ir::Dialect> dialect = DialectFromProto(request.dialect(), !request.machine().empty());
  if (!dialect.ok()) return dialect.status();
  options.dialect = *dialect;
  return options;
}

absl::StatusOr<const machine::Machine*> ReadMachine(const std::string& id) {
  if (id.empty()) return nullptr;
  absl::StatusOr<const machine::Machine*> machine = machine::FindMachine(id);
  if (!machine.ok()) return FieldError("machine", machine.status().message());
  return machine;
}

class CheckHandler final : public Service {
 public:
  explicit CheckHandler(const Backend& backend) : Service(backend, "rewrought.v1.CheckService") {
    Serve(&CheckHandler::CheckRule);
  }

  absl::Status CheckRule(Call& call, const v1::CheckRuleRequest& request, v1::CheckRuleResponse* response);

 private:
  VerdictCache verdicts_;
};

absl::Status CheckHandler::CheckRule(Call& call, const v1::CheckRuleRequest& request, v1::CheckRuleResponse* response) {
  const absl::StatusOr<verifier::RuleCheckOptions> options = ReadOptions(request);
  if (!options.ok()) return options.status();
  const absl::StatusOr<const machine::Machine*> machine = ReadMachine(request.machine());
  if (!machine.ok()) return machine.status();
  const std::vector<ir::RuleEntry> entries = ir::ParseRules(request.rule(), ir::ResolverOf(options->dialect));
  if (entries.size() != 1) {
    return FieldError("rule", entries.empty() ? "contains no rule; write (search, replace)"
                                              : absl::StrCat("contains ", entries.size(), " rules; send one per call"));
  }
  if (entries[0].rule.ok()) {
    *response->mutable_search_term() = ToProto(entries[0].rule->search);
    if (entries[0].program.empty()) *response->mutable_replace_term() = ToProto(entries[0].rule->replace);
  }
  const auto limit = ReadTimeLimit(request.time_limit(), backend_.limits.max_call);
  if (!limit.ok()) return limit.status();
  if (std::optional<v1::RuleVerdict> known = verdicts_.Find(request); known.has_value()) {
    *response->mutable_verdict() = *std::move(known);
    return absl::OkStatus();
  }
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(*limit);
  if (!pass.ok()) return pass.status();
  const verifier::Prover prover(backend_.solvers, ProverOptionsFor(call, request.with_certificates()));
  const verifier::CheckedEntry checked = verifier::CheckEntry(entries[0], prover, *options, *machine);
  if (absl::Status ended = call.ended(); !ended.ok()) return ended;
  // The machine's description defines the semantics of a program's instructions, so the verdict depends on the
  // description.
  const bool is_program = *machine != nullptr && !entries[0].program.empty();
  const std::string semantics =
      is_program ? machine::SemanticsOf(**machine).hex() : ir::SemanticsDigestIn(options->dialect);
  *response->mutable_verdict() =
      verifier::RuleProto(checked, semantics, {request.with_certificates(), request.explain()});
  AddCaseTerms(checked, response->mutable_verdict());
  if (!call.stop().stop_requested()) {
    verdicts_.Keep(request, response->verdict());
    return absl::OkStatus();
  }
  for (v1::CaseVerdict& one : *response->mutable_verdict()->mutable_cases()) {
    if (one.verdict() != v1::VERDICT_UNKNOWN) continue;
    one.set_reason(
        absl::StrCat("the call's time limit of ", absl::FormatDuration(*limit), " expired (", one.reason(), ")"));
  }
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakeCheckService(const Backend& backend) { return std::make_unique<CheckHandler>(backend); }

}  // namespace rewrought::rpc
