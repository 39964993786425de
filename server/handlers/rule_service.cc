// RuleService: serves stored rules, and checks whether a rule holds without one of its preconditions.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/semantics.h"
#include "machine/machine.h"
#include "machine/semantics.h"
#include "pipeline/evidence/verified_rules.h"
#include "pipeline/rule_message.h"
#include "proto/rewrought/v1/rule_service.pb.h"
#include "proto/utf8.h"
#include "server/handlers/prover_limits.h"
#include "server/handlers/rule_search.h"
#include "server/handlers/rule_views.h"
#include "server/handlers/services.h"
#include "server/messages/paging.h"
#include "server/messages/rule_proto.h"
#include "server/messages/status.h"
#include "server/messages/time_proto.h"
#include "server/messages/verdict_proto.h"
#include "store/corpus_store.h"
#include "store/rule_store.h"
#include "verifier/entry_check.h"
#include "verifier/message/verdict_message.h"

namespace rewrought::rpc {
namespace {

constexpr int64_t kSearchedAtOnce = 256;

absl::Status ReadFilters(const v1::ListRulesRequest& request, store::RuleStore::Query* query) {
  query->machine = request.machine();
  query->op = request.op();
  query->text = request.text();
  if (request.rule_class() != v1::RULE_CLASS_UNSPECIFIED) {
    if (!v1::RuleClass_IsValid(request.rule_class())) return FieldError("rule_class", "is not a RuleClass");
    query->rule_class = request.rule_class();
  }
  for (int i = 0; i < request.states_size(); ++i) {
    const int state = request.states(i);
    if (state == v1::RULE_STATE_UNSPECIFIED || !v1::RuleState_IsValid(state)) {
      return FieldError(absl::StrCat("states[", i, "]"), "is not a RuleState");
    }
    query->states.push_back(static_cast<v1::RuleState>(state));
  }
  if (!v1::RuleOrder_IsValid(request.order())) return FieldError("order", "is not a RuleOrder");
  query->order = request.order() == v1::RULE_ORDER_ID ? store::RuleStore::Order::kId : store::RuleStore::Order::kWorth;
  return absl::OkStatus();
}

// Adds the field name to the store's error about a page token that belongs to another list.
absl::Status NamePageToken(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? FieldError("page_token", status.message()) : status;
}

// Returns the rule with this id. Adds the field name to an error about the id.
absl::StatusOr<store::RuleRecord> FindRule(store::Store* store, const std::string& id) {
  absl::StatusOr<store::RuleRecord> record = store::RuleStore(store).GetRule(id);
  if (absl::IsInvalidArgument(record.status())) return FieldError("id", record.status().message());
  return record;
}

class RuleHandler final : public Service {
 public:
  explicit RuleHandler(const Backend& backend) : Service(backend, "rewrought.v1.RuleService") {
    Serve(&RuleHandler::GetRule, &RuleHandler::ListRules, &RuleHandler::SearchRules, &RuleHandler::ListRuleHits,
          &RuleHandler::GetAssembly, &RuleHandler::DropPreconditions);
  }

  absl::Status GetRule(Call& call, const v1::GetRuleRequest& request, v1::GetRuleResponse* response);
  absl::Status ListRules(Call& call, const v1::ListRulesRequest& request, v1::ListRulesResponse* response);
  absl::Status SearchRules(Call& call, const v1::SearchRulesRequest& request, v1::SearchRulesResponse* response);
  absl::Status ListRuleHits(Call& call, const v1::ListRuleHitsRequest& request, v1::ListRuleHitsResponse* response);
  absl::Status GetAssembly(Call& call, const v1::GetAssemblyRequest& request, v1::GetAssemblyResponse* response);
  absl::Status DropPreconditions(Call& call, const v1::DropPreconditionsRequest& request,
                                 Stream<v1::DropPreconditionsResponse>* stream);
};

absl::Status RuleHandler::GetAssembly(Call& call, const v1::GetAssemblyRequest& request,
                                      v1::GetAssemblyResponse* response) {
  const absl::StatusOr<store::RuleRecord> record = FindRule(backend_.store, request.id());
  if (!record.ok()) return record.status();
  std::vector<const machine::Machine*> machines;
  if (!record->program.empty()) {  // a program consists of one machine's instructions
    for (int i = 0; i < request.machines_size(); ++i) {
      if (request.machines(i) == record->machine) continue;
      return FieldError(absl::StrCat("machines[", i, "]"),
                        absl::StrCat("the rule's replacement is a program for ", record->machine));
    }
    const auto own = machine::FindMachine(record->machine);
    if (!own.ok()) return own.status();
    machines.push_back(*own);
  } else if (request.machines_size() == 0) {
    machines = machine::AllMachines();
  }
  for (int i = 0; record->program.empty() && i < request.machines_size(); ++i) {
    const auto found = machine::FindMachine(request.machines(i));
    if (!found.ok()) return FieldError(absl::StrCat("machines[", i, "]"), found.status().message());
    machines.push_back(*found);
    if (machines.size() > machine::AllMachines().size())
      return FieldError("machines", "contains duplicates; name each machine once");
  }
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  std::string sizes;
  for (const machine::Machine* machine : machines) {
    if (call.stop().stop_requested()) return call.Stopped("name fewer machines");
    *response->add_listings() = ListingOf(*record, *machine, &sizes);
  }
  response->set_sizes(sizes);
  return absl::OkStatus();
}

absl::Status RuleHandler::DropPreconditions(Call& call, const v1::DropPreconditionsRequest& request,
                                            Stream<v1::DropPreconditionsResponse>* stream) {
  const absl::StatusOr<store::RuleRecord> record = FindRule(backend_.store, request.id());
  if (!record.ok()) return record.status();
  const absl::StatusOr<std::vector<Weakening>> weakenings = WeakeningsOf(*record);
  if (!weakenings.ok()) return weakenings.status();
  const machine::Machine* machine = nullptr;
  if (const auto found = machine::FindMachine(record->machine); found.ok()) machine = *found;
  const auto limit = ReadTimeLimit(request.time_limit(), backend_.limits.max_call);
  if (!limit.ok()) return limit.status();
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(*limit);
  if (!pass.ok()) return pass.status();
  const std::string semantics = machine == nullptr ? ir::SemanticsDigest() : machine::SemanticsOf(*machine).hex();
  for (const Weakening& weakening : *weakenings) {
    const std::vector<ir::RuleEntry> entries = ir::ParseRules(weakening.rule);
    if (entries.size() != 1) continue;
    const verifier::Prover prover(backend_.solvers, ProverOptionsFor(call, false));
    v1::DropPreconditionsResponse response;
    response.set_precondition(weakening.precondition);
    *response.mutable_verdict() = verifier::RuleProto(
        verifier::CheckEntry(entries[0], prover, verifier::RuleCheckOptions(), machine), semantics, {});
    if (absl::Status ended = call.ended(); !ended.ok()) return ended;
    if (!stream->Write(response)) return absl::CancelledError("the client has disconnected");
    if (call.stop().stop_requested()) return call.Stopped("the remaining rules were not verified");
  }
  return absl::OkStatus();
}

absl::Status RuleHandler::GetRule(Call&, const v1::GetRuleRequest& request, v1::GetRuleResponse* response) {
  const absl::StatusOr<store::RuleRecord> record = FindRule(backend_.store, request.id());
  if (!record.ok()) return record.status();
  absl::StatusOr<v1::RewriteRule> rule = ToProto(backend_.store, *record);
  if (!rule.ok()) return rule.status();
  *response->mutable_rule() = *std::move(rule);
  absl::StatusOr<std::vector<v1::CaseVerdict>> proofs = pipeline::ProofsOf(backend_.store, *record);
  if (!proofs.ok()) return proofs.status();
  const absl::StatusOr<bool> verified = pipeline::VerifiedRules(backend_.store).Has(*record, *proofs);
  if (!verified.ok()) return verified.status();
  response->set_verified_here(*verified);
  for (v1::CaseVerdict& proof : *proofs) *response->add_proofs() = std::move(proof);
  return absl::OkStatus();
}

absl::Status RuleHandler::ListRules(Call&, const v1::ListRulesRequest& request, v1::ListRulesResponse* response) {
  store::RuleStore::Query query;
  if (absl::Status status = ReadFilters(request, &query); !status.ok()) return status;
  const absl::StatusOr<Page> page = Page::Of(request);
  if (!page.ok()) return page.status();
  query.page_token = page->place();
  query.page_size = static_cast<int64_t>(page->size());
  const absl::StatusOr<store::RuleStore::Page> found = store::RuleStore(backend_.store).List(query);
  if (!found.ok()) return NamePageToken(found.status());
  for (const store::RuleRecord& record : found->rules) {
    absl::StatusOr<v1::RewriteRule> rule = ListedProto(backend_.store, record);
    if (!rule.ok()) return rule.status();
    *response->add_rules() = *std::move(rule);
  }
  if (!found->next_page_token.empty()) response->set_next_page_token(page->TokenOf(found->next_page_token));
  return absl::OkStatus();
}

absl::Status RuleHandler::SearchRules(Call& call, const v1::SearchRulesRequest& request,
                                      v1::SearchRulesResponse* response) {
  const absl::StatusOr<ir::Term> term = ReadExpression(request.expression());
  if (!term.ok()) return term.status();
  const absl::StatusOr<Page> asked = Page::Numbered(request);
  if (!asked.ok()) return asked.status();
  const absl::StatusOr<Limiter::Pass> pass = call.Compute(backend_.limits.max_call);
  if (!pass.ok()) return pass.status();
  size_t skipped = asked->number();  // number of matches to skip on the first page of rules
  store::RuleStore::Query query;
  query.machine = request.machine();
  query.order = store::RuleStore::Order::kId;
  query.page_size = kSearchedAtOnce;
  query.page_token = asked->text();
  for (;;) {
    const absl::StatusOr<store::RuleStore::Page> page = store::RuleStore(backend_.store).List(query);
    if (!page.ok()) return NamePageToken(page.status());
    size_t on_page = 0;  // number of matches on this page of rules
    for (const store::RuleRecord& record : page->rules) {
      if (call.stop().stop_requested()) return call.Stopped("specify a machine");
      for (FoundMatch& match : MatchesOf(record, *term)) {
        if (on_page++ < skipped) continue;
        if (static_cast<size_t>(response->matches_size()) == asked->size()) {
          response->set_next_page_token(asked->TokenOf(absl::StrCat(on_page - 1, "+", query.page_token)));
          return absl::OkStatus();
        }
        absl::StatusOr<v1::RewriteRule> rule = ListedProto(backend_.store, record);
        if (!rule.ok()) return rule.status();
        v1::SearchRulesResponse::Match* added = response->add_matches();
        *added->mutable_rule() = *std::move(rule);
        added->set_node(std::move(match.node));
        added->set_result(std::move(match.result));
      }
    }
    if (page->next_page_token.empty()) return absl::OkStatus();
    query.page_token = page->next_page_token;
    skipped = 0;
  }
}

absl::Status RuleHandler::ListRuleHits(Call&, const v1::ListRuleHitsRequest& request,
                                       v1::ListRuleHitsResponse* response) {
  const absl::StatusOr<store::RuleRecord> record = FindRule(backend_.store, request.id());
  if (!record.ok()) return record.status();
  const absl::StatusOr<Page> page = Page::Numbered(request);
  if (!page.ok()) return page.status();
  std::vector<store::HitRecord> hits;
  absl::Status status = store::RuleStore(backend_.store)
                            .ForEachHit(record->id, static_cast<int64_t>(page->number()),
                                        static_cast<int64_t>(page->size()) + 1, [&](const store::HitRecord& hit) {
                                          hits.push_back(hit);
                                          return absl::OkStatus();
                                        });
  if (!status.ok()) return status;
  if (hits.size() > page->size()) {  // the last row only shows that there are more rows
    hits.pop_back();
    response->set_next_page_token(page->TokenOf(absl::StrCat(page->number() + page->size())));
  }
  for (const store::HitRecord& record_hit : hits) {
    const auto places = store::CorpusStore(backend_.store).Occurrences(record_hit.shader);
    if (!places.ok()) return places.status();
    v1::ListRuleHitsResponse::Hit* hit = response->add_hits();
    if (!places->empty()) {
      hit->set_shader(ToUtf8(places->front().name));
      hit->set_source(ToUtf8(places->front().source));
    }
    hit->set_digest(record_hit.shader.hex());
    hit->set_hits(static_cast<uint64_t>(record_hit.hits));
    hit->set_saved_instructions(record_hit.saved_instructions);
    hit->set_saved_cycles(record_hit.saved_cycles);
    for (const int32_t line : record_hit.lines) hit->add_lines(static_cast<uint32_t>(line));
  }
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Service> MakeRuleService(const Backend& backend) { return std::make_unique<RuleHandler>(backend); }

}  // namespace rewrought::rpc
