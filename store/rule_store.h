// Proved rules: what they are, where they stand, what they save and where they hit.
#ifndef REWROUGHT_STORE_RULE_STORE_H_
#define REWROUGHT_STORE_RULE_STORE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/digest.h"
#include "store/records.h"
#include "store/store.h"

namespace rewrought::store {

// All functions give the errors of Store::Write and Store::Read; further ones are named.
class RuleStore {
 public:
  explicit RuleStore(Store* store) : store_(store) {}

  // Makes a rule or replaces what is said of it, except where it came from first: created, created_run and, once set,
  // state and reason, which SetState changes. NotFound: created_run is no run's id.
  absl::Status PutRule(const RuleRecord& rule);

  // NotFound: no such rule.
  absl::Status SetState(const ir::Digest& id, v1::RuleState state, absl::string_view reason);

  // As SetState, and notes that `run` did it. NotFound: no such rule or run.
  absl::Status SetStateInRun(const ir::Digest& id, v1::RuleState state, absl::string_view reason,
                             absl::string_view run);
  // What a run changed, by state, then rule.
  absl::Status ForEachChange(absl::string_view run,
                             absl::FunctionRef<absl::Status(const ir::Digest&, v1::RuleState)> visit);

  // The rule whose id starts with these hex digits. InvalidArgument: not hex, or several rules do; NotFound: none does.
  absl::StatusOr<RuleRecord> GetRule(absl::string_view id_prefix);

  enum class Order {
    kWorth,
    kId
  };  // kWorth: cycles saved against the tuned baseline on held-out sources, falling; then id
  struct Query {
    std::string machine;  // empty: all
    std::string op;       // empty: any; else one of the search side's
    std::string text;     // empty: any; else part of search, replace or program
    std::optional<v1::RuleClass> rule_class;
    std::vector<v1::RuleState> states;  // empty: all
    Order order = Order::kWorth;
    std::string page_token;  // of the page before
    int64_t page_size = 50;  // at least 1
  };
  struct Page {
    std::vector<RuleRecord> rules;
    std::string next_page_token;  // empty: this was the last page
  };
  // InvalidArgument: a token that no page gave. Rules that appear between two pages may be missed, none comes twice.
  absl::StatusOr<Page> List(const Query& query);

  // Replaces what is stored for the rule and split. NotFound: no such rule.
  absl::Status PutMeasurement(const MeasurementRecord& measurement);
  // By split.
  absl::StatusOr<std::vector<MeasurementRecord>> Measurements(const ir::Digest& rule);

  // Replaces what is stored for the rule and `trial.driver()`. NotFound: no such rule.
  absl::Status PutTrial(const ir::Digest& rule, const v1::RuleTrial& trial);
  // By driver. DataLoss: a row that is no RuleTrial.
  absl::StatusOr<std::vector<v1::RuleTrial>> Trials(const ir::Digest& rule);
  // Puts `drivers` and `trials` in place of all that is stored for these drivers and the rules of their machines, at
  // once. How many of `trials`: those of rules that are not there are left out.
  absl::StatusOr<uint64_t> ReplaceTrials(absl::Span<const v1::DriverTrial> drivers,
                                         absl::Span<const std::pair<ir::Digest, v1::RuleTrial>> trials);
  // Of a machine's rules, by driver. DataLoss: a row that is no DriverTrial.
  absl::StatusOr<std::vector<v1::DriverTrial>> DriverTrials(absl::string_view machine);

  // Replaces the rule's hits; no shader twice. NotFound: no such rule or shader.
  absl::Status PutHits(const ir::Digest& rule, absl::Span<const HitRecord> hits);
  // Cycles saved falling, so that what is hurt comes last; then shader. `offset` rows are skipped.
  absl::Status ForEachHit(const ir::Digest& rule, int64_t offset, int64_t limit,
                          absl::FunctionRef<absl::Status(const HitRecord&)> visit);

 private:
  absl::Status CheckRule(sqlite::Database& database, const ir::Digest& id);
  absl::Status WriteTrial(sqlite::Database& writer, const ir::Digest& rule, const v1::RuleTrial& trial);
  absl::Status PutOps(sqlite::Database& writer, const RuleRecord& rule);
  absl::Status ReadOps(sqlite::Database& reader, RuleRecord* rule);

  Store* store_;
};

}  // namespace rewrought::store

#endif  // REWROUGHT_STORE_RULE_STORE_H_
