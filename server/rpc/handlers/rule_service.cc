#include "server/rpc/handlers/rule_service.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/semantics.h"
#include "machine/machine.h"
#include "server/pipeline/candidate_verifier.h"
#include "server/pipeline/rule_message.h"
#include "server/rpc/handlers/prover_limits.h"
#include "server/rpc/handlers/rule_search.h"
#include "server/rpc/handlers/rule_views.h"
#include "server/rpc/messages/paging.h"
#include "server/rpc/messages/rule_proto.h"
#include "server/rpc/messages/status.h"
#include "server/rpc/messages/utf8.h"
#include "server/rpc/messages/verdict_proto.h"
#include "server/store/corpus_store.h"
#include "server/store/rule_store.h"
#include "verifier/entry_check.h"

namespace rewrought::rpc {
namespace {

constexpr int64_t kSearchedAtOnce = 256;

absl::Status ReadFilters(const v1::ListRulesRequest& request, store::RuleStore::Query* query) {
  query->machine = request.machine();
  query->op = request.op();
  query->text = request.text();
  if (request.rule_class() != v1::RULE_CLASS_UNSPECIFIED) {
    if (!v1::RuleClass_IsValid(request.rule_class())) return FieldError("rule_class", "is no RuleClass");
    query->rule_class =
        request.rule_class() == v1::RULE_CLASS_STRICT ? store::RuleClass::kStrict : store::RuleClass::kInexact;
  }
  for (int i = 0; i < request.states_size(); ++i) {
    const int state = request.states(i);
    if (state == v1::RULE_STATE_UNSPECIFIED || !v1::RuleState_IsValid(state)) {
      return FieldError(absl::StrCat("states[", i, "]"), "is no RuleState");
    }
    query->states.push_back(static_cast<store::RuleState>(state));  // the numbers are equal
  }
  if (!v1::RuleOrder_IsValid(request.order())) return FieldError("order", "is no RuleOrder");
  query->order = request.order() == v1::RULE_ORDER_ID ? store::RuleStore::Order::kId : store::RuleStore::Order::kWorth;
  return absl::OkStatus();
}

static_assert(static_cast<int>(store::RuleState::kNew) == v1::RULE_STATE_NEW);
static_assert(static_cast<int>(store::RuleState::kKept) == v1::RULE_STATE_KEPT);
static_assert(static_cast<int>(store::RuleState::kLost) == v1::RULE_STATE_LOST);
static_assert(static_cast<int>(store::RuleState::kWaived) == v1::RULE_STATE_WAIVED);
static_assert(static_cast<int>(store::RuleState::kRefuted) == v1::RULE_STATE_REFUTED);
static_assert(static_cast<int>(store::RuleState::kDerived) == v1::RULE_STATE_DERIVED);

// The store says of a foreign token what is wrong; only the field has to be named.
absl::Status NamePageToken(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? FieldError("page_token", status.message()) : status;
}

// A place among the matches of all rules: a page of rules, and how many of its matches went before.
struct SearchPlace {
  std::string page;
  int64_t skipped = 0;
};

absl::StatusOr<SearchPlace> ReadSearchPlace(absl::string_view place) {
  SearchPlace read;
  if (place.empty()) return read;
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(place, absl::MaxSplits('+', 1));
  if (!absl::SimpleAtoi(parts.first, &read.skipped) || read.skipped < 0) {
    return FieldError("page_token", "is malformed; start without one");
  }
  read.page = std::string(parts.second);
  return read;
}

}  // namespace

grpc::Status RuleServiceHandler::GetRule(grpc::ServerContext* context, const v1::GetRuleRequest* request,
                                         v1::GetRuleResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(Get(*request, response));
}

grpc::Status RuleServiceHandler::ListRules(grpc::ServerContext* context, const v1::ListRulesRequest* request,
                                           v1::ListRulesResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(List(*request, response));
}

grpc::Status RuleServiceHandler::SearchRules(grpc::ServerContext* context, const v1::SearchRulesRequest* request,
                                             v1::SearchRulesResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  const Call call(backend_.calls, context, backend_.limits.max_call);
  return ToGrpc(Search(call, *request, response));
}

grpc::Status RuleServiceHandler::ListRuleHits(grpc::ServerContext* context, const v1::ListRuleHitsRequest* request,
                                              v1::ListRuleHitsResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(ListHits(*request, response));
}

grpc::Status RuleServiceHandler::GetAssembly(grpc::ServerContext* context, const v1::GetAssemblyRequest* request,
                                             v1::GetAssemblyResponse* response) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kRead); !status.ok()) return ToGrpc(status);
  return ToGrpc(Assembly(*request, response));
}

grpc::Status RuleServiceHandler::DropPreconditions(grpc::ServerContext* context,
                                                   const v1::DropPreconditionsRequest* request,
                                                   grpc::ServerWriter<v1::DropPreconditionsResponse>* writer) {
  if (absl::Status status = backend_.access->Admit(*context, Role::kCheck); !status.ok()) return ToGrpc(status);
  return ToGrpc(Drop(context, *request, writer));
}

absl::Status RuleServiceHandler::Assembly(const v1::GetAssemblyRequest& request, v1::GetAssemblyResponse* response) {
  const absl::StatusOr<store::RuleRecord> record = store::RuleStore(backend_.store).GetRule(request.id());
  if (absl::IsInvalidArgument(record.status())) return FieldError("id", record.status().message());
  if (!record.ok()) return record.status();
  std::vector<const machine::Machine*> machines;
  if (!record->program.empty()) {  // a program is one machine's
    for (int i = 0; i < request.machines_size(); ++i) {
      if (request.machines(i) == record->machine) continue;
      return FieldError(absl::StrCat("machines[", i, "]"), absl::StrCat("the rule is a program of ", record->machine));
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
    if (machines.size() > machine::AllMachines().size()) return FieldError("machines", "names one several times");
  }
  std::string sizes;
  for (const machine::Machine* machine : machines) *response->add_listings() = ListingOf(*record, *machine, &sizes);
  response->set_sizes(sizes);
  return absl::OkStatus();
}

absl::Status RuleServiceHandler::Drop(grpc::ServerContext* context, const v1::DropPreconditionsRequest& request,
                                      grpc::ServerWriter<v1::DropPreconditionsResponse>* writer) {
  const absl::StatusOr<store::RuleRecord> record = store::RuleStore(backend_.store).GetRule(request.id());
  if (absl::IsInvalidArgument(record.status())) return FieldError("id", record.status().message());
  if (!record.ok()) return record.status();
  const absl::StatusOr<std::vector<Weakening>> weakenings = WeakeningsOf(*record);
  if (!weakenings.ok()) return weakenings.status();
  const machine::Machine* machine = nullptr;
  if (const auto found = machine::FindMachine(record->machine); found.ok()) machine = *found;
  absl::Duration limit = backend_.limits.max_call;
  if (request.timeout_ms() > 0) limit = std::min(limit, absl::Milliseconds(request.timeout_ms()));
  const Call call(backend_.calls, context, limit);
  const absl::StatusOr<Limiter::Pass> pass = backend_.limiter->Enter(call.stop(), backend_.access->ClientOf(*context));
  if (!pass.ok()) return call.ended().ok() ? pass.status() : call.ended();
  const std::string semantics = machine == nullptr ? ir::SemanticsDigest() : pipeline::SemanticsOf(*machine).hex();
  for (const Weakening& weakening : *weakenings) {
    const std::vector<ir::RuleEntry> entries = ir::ParseRules(weakening.rule);
    if (entries.size() != 1) continue;
    const verifier::Prover prover(backend_.solver, backend_.second_solver, ProverOptionsFor(call, false));
    v1::DropPreconditionsResponse response;
    response.set_precondition(weakening.precondition);
    *response.mutable_verdict() =
        ToProto(verifier::CheckEntry(entries[0], prover, verifier::RuleCheckOptions(), machine), semantics, {});
    if (absl::Status ended = call.ended(); !ended.ok()) return ended;
    if (!writer->Write(response)) return absl::CancelledError("the client no longer listens");
    if (call.stop().stop_requested()) {
      return absl::DeadlineExceededError("the service's time limit passed; the rest was not verified");
    }
  }
  return absl::OkStatus();
}

absl::Status RuleServiceHandler::Get(const v1::GetRuleRequest& request, v1::GetRuleResponse* response) {
  const absl::StatusOr<store::RuleRecord> record = store::RuleStore(backend_.store).GetRule(request.id());
  if (absl::IsInvalidArgument(record.status())) return FieldError("id", record.status().message());
  if (!record.ok()) return record.status();
  absl::StatusOr<v1::RewriteRule> rule = ToProto(backend_.store, *record);
  if (!rule.ok()) return rule.status();
  *response->mutable_rule() = *std::move(rule);
  AddTerms(response->mutable_rule());
  absl::StatusOr<std::vector<v1::CaseVerdict>> proofs = pipeline::ProofsOf(backend_.store, *record);
  if (!proofs.ok()) return proofs.status();
  for (v1::CaseVerdict& proof : *proofs) *response->add_proofs() = std::move(proof);
  return absl::OkStatus();
}

absl::Status RuleServiceHandler::List(const v1::ListRulesRequest& request, v1::ListRulesResponse* response) {
  store::RuleStore::Query query;
  if (absl::Status status = ReadFilters(request, &query); !status.ok()) return status;
  v1::ListRulesRequest filters = request;
  filters.clear_page_size();
  filters.clear_page_token();
  const std::string list = absl::StrCat("ListRules\n", filters.SerializeAsString());
  absl::StatusOr<std::string> place = ReadPageToken(list, request.page_token());
  if (!place.ok()) return place.status();
  query.page_token = *std::move(place);
  query.page_size = PageSize(request.page_size());
  const absl::StatusOr<store::RuleStore::Page> page = store::RuleStore(backend_.store).List(query);
  if (!page.ok()) return NamePageToken(page.status());
  for (const store::RuleRecord& record : page->rules) {
    absl::StatusOr<v1::RewriteRule> rule = ToProto(backend_.store, record);
    if (!rule.ok()) return rule.status();
    *response->add_rules() = *std::move(rule);
  }
  if (!page->next_page_token.empty()) response->set_next_page_token(MakePageToken(list, page->next_page_token));
  return absl::OkStatus();
}

absl::Status RuleServiceHandler::Search(const Call& call, const v1::SearchRulesRequest& request,
                                        v1::SearchRulesResponse* response) {
  const absl::StatusOr<ir::Term> term = ReadExpression(request.expression());
  if (!term.ok()) return term.status();
  const std::string list = absl::StrCat("SearchRules\n", request.machine(), "\n", request.expression());
  const absl::StatusOr<std::string> token = ReadPageToken(list, request.page_token());
  if (!token.ok()) return token.status();
  absl::StatusOr<SearchPlace> place = ReadSearchPlace(*token);
  if (!place.ok()) return place.status();
  store::RuleStore::Query query;
  query.machine = request.machine();
  query.order = store::RuleStore::Order::kId;
  query.page_size = kSearchedAtOnce;
  query.page_token = place->page;
  const int64_t page_size = PageSize(request.page_size());
  for (;;) {
    const absl::StatusOr<store::RuleStore::Page> page = store::RuleStore(backend_.store).List(query);
    if (!page.ok()) return NamePageToken(page.status());
    int64_t on_page = 0;  // matches of this page of rules
    for (const store::RuleRecord& record : page->rules) {
      if (call.stop().stop_requested()) {
        const absl::Status ended = call.ended();
        return ended.ok() ? absl::DeadlineExceededError("the service's time limit passed; name a machine") : ended;
      }
      for (FoundMatch& match : MatchesOf(record, *term)) {
        if (on_page++ < place->skipped) continue;
        if (response->matches_size() == page_size) {
          response->set_next_page_token(MakePageToken(list, absl::StrCat(on_page - 1, "+", query.page_token)));
          return absl::OkStatus();
        }
        absl::StatusOr<v1::RewriteRule> rule = ToProto(backend_.store, record);
        if (!rule.ok()) return rule.status();
        v1::SearchRulesResponse::Match* added = response->add_matches();
        *added->mutable_rule() = *std::move(rule);
        added->set_node(std::move(match.node));
        added->set_result(std::move(match.result));
      }
    }
    if (page->next_page_token.empty()) return absl::OkStatus();
    query.page_token = page->next_page_token;
    place->skipped = 0;
  }
}

absl::Status RuleServiceHandler::ListHits(const v1::ListRuleHitsRequest& request, v1::ListRuleHitsResponse* response) {
  const absl::StatusOr<store::RuleRecord> record = store::RuleStore(backend_.store).GetRule(request.id());
  if (absl::IsInvalidArgument(record.status())) return FieldError("id", record.status().message());
  if (!record.ok()) return record.status();
  const std::string list = absl::StrCat("ListRuleHits\n", record->id.hex());
  const absl::StatusOr<std::string> place = ReadPageToken(list, request.page_token());
  if (!place.ok()) return place.status();
  int64_t offset = 0;
  if (!place->empty() && (!absl::SimpleAtoi(*place, &offset) || offset < 0)) {
    return FieldError("page_token", "is malformed; start without one");
  }
  const int64_t page_size = PageSize(request.page_size());
  std::vector<store::HitRecord> hits;
  absl::Status status =
      store::RuleStore(backend_.store).ForEachHit(record->id, offset, page_size + 1, [&](const store::HitRecord& hit) {
        hits.push_back(hit);
        return absl::OkStatus();
      });
  if (!status.ok()) return status;
  if (static_cast<int64_t>(hits.size()) > page_size) {  // the row beyond only says that there is more
    hits.pop_back();
    response->set_next_page_token(MakePageToken(list, absl::StrCat(offset + page_size)));
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

}  // namespace rewrought::rpc
