// The stored rules: their text, states, savings, trials, and hits.
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

// All functions can also fail with the errors of Store::Write and Store::Read. Functions that change an existing rule
// fail with NotFound if the rule is not stored.
class RuleStore {
 public:
  explicit RuleStore(Store* store) : store_(store) {}

  // Creates a rule, or replaces the fields of an existing rule except its origin (created, created_run), state, and
  // reason. Only SetState changes the state and the reason. Fails with NotFound if no run has the id created_run.
  absl::Status PutRule(const RuleRecord& rule);

  absl::Status SetState(const ir::Digest& id, v1::RuleState state, absl::string_view reason);

  // Like SetState, but also records that `run` made the change. Fails with NotFound if the run is not stored.
  absl::Status SetStateInRun(const ir::Digest& id, v1::RuleState state, absl::string_view reason,
                             absl::string_view run);
  // Visits the changes that a run made, sorted by state and then by rule.
  absl::Status ForEachChange(absl::string_view run,
                             absl::FunctionRef<absl::Status(const ir::Digest&, v1::RuleState)> visit);

  // Returns the rule whose id starts with these hex digits. Fails with InvalidArgument if the prefix is not hex or
  // several rules match, and with NotFound if no rule matches.
  absl::StatusOr<RuleRecord> GetRule(absl::string_view id_prefix);

  enum class Order {
    kWorth,
    kId
  };  // kWorth: in descending order of the cycles saved relative to the tuned baseline on held-out sources, then by id
  struct Query {
    std::string machine;  // empty means all
    std::string op;       // an op of the search side; empty means any
    std::string text;     // a substring of search, replace or program; empty means any
    std::optional<v1::RuleClass> rule_class;
    std::vector<v1::RuleState> states;  // empty means all
    Order order = Order::kWorth;
    std::string page_token;  // from the previous page
    int64_t page_size = 50;  // at least 1
  };
  struct Page {
    std::vector<RuleRecord> rules;
    std::string next_page_token;  // empty on the last page
  };
  // Returns a page of rules. Fails with InvalidArgument if the token is not from a page of this list. Rules that appear
  // between two calls may be missing, but no rule is returned twice.
  absl::StatusOr<Page> List(const Query& query);

  // Stores a measurement. Replaces the existing measurement of the same rule and split.
  absl::Status PutMeasurement(const MeasurementRecord& measurement);
  // Returns the measurements sorted by split.
  absl::StatusOr<std::vector<MeasurementRecord>> Measurements(const ir::Digest& rule);

  // Stores a trial. Replaces the existing trial of the same rule on `trial.driver()`.
  absl::Status PutTrial(const ir::Digest& rule, const v1::RuleTrial& trial);
  // Returns the trials sorted by driver. Fails with DataLoss if a row cannot be parsed.
  absl::StatusOr<std::vector<v1::RuleTrial>> Trials(const ir::Digest& rule);
  // Stores `drivers` and `trials` in one transaction. For each of these drivers, replaces all stored trials of the
  // rules of the driver's machine, both combined trials and trials of single rules. Returns the number of stored
  // trials; trials of unknown rules are skipped.
  absl::StatusOr<uint64_t> ReplaceTrials(absl::Span<const v1::DriverTrial> drivers,
                                         absl::Span<const std::pair<ir::Digest, v1::RuleTrial>> trials);
  // Returns the trials in which all of a machine's rules were applied together, sorted by driver. Fails with DataLoss
  // if a row cannot be parsed.
  absl::StatusOr<std::vector<v1::DriverTrial>> DriverTrials(absl::string_view machine);

  // Replaces the rule's hits. `hits` must name each shader at most once. Fails with NotFound if the rule or a shader is
  // not stored.
  absl::Status PutHits(const ir::Digest& rule, absl::Span<const HitRecord> hits);
  // Visits hits in descending order of the cycles saved (shaders that the rule hurts come last), and hits with equal
  // savings in the order of the shaders' digests. Skips the first `offset` hits.
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
