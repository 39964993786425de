#include "server/handlers/rule_views.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/text/rule_text.h"
#include "machine/base/base_selection.h"
#include "machine/cost.h"
#include "machine/cost_message.h"
#include "machine/program.h"
#include "server/handlers/rule_search.h"

namespace rewrought::rpc {
namespace {

void Fill(const machine::Machine& machine, const machine::Program& program,
          google::protobuf::RepeatedPtrField<std::string>* lines, v1::ProgramCost* proto) {
  for (const machine::Instruction& one : program.instructions) *lines->Add() = machine::PrintInstruction(machine, one);
  *proto = machine::CostMessage(machine::ProgramCost(machine, program));
}

absl::StatusOr<machine::Program> Select(const machine::Machine& machine, const std::string& text) {
  const absl::StatusOr<ir::Term> term = ReadExpression(text);
  if (!term.ok()) return term.status();
  return machine::BaseProgram(machine, *term, machine::BaseKind::kTuned);
}

std::string SizesIn(const std::string& text) {
  const absl::StatusOr<ir::Term> term = ReadExpression(text);
  std::set<std::string> sizes;
  if (!term.ok()) return "";
  for (const ir::Node& node : term->nodes) {
    if (node.kind == ir::NodeKind::kVariable) sizes.insert(absl::StrCat(node.name, ":", node.bits));
  }
  return absl::StrJoin(sizes, " ");
}

// Appends the nodes to `order` in prefix order, each node once.
void Visit(const ir::Term& term, ir::NodeIndex node, std::vector<ir::NodeIndex>* order) {
  if (std::find(order->begin(), order->end(), node) != order->end()) return;
  order->push_back(node);
  for (const ir::Source& source : term.at(node).sources) Visit(term, source.node, order);
}

std::string RuleText(const ir::Term& search, const store::RuleRecord& record) {
  const std::string right = record.program.empty() ? record.replace : record.program;
  return absl::StrCat("(", ir::PrintTerm(search), ", ", right, ")");
}

constexpr std::pair<ir::NodeFlag, const char*> kPermissions[] = {
    {ir::kNoSignedZero, "nsz"}, {ir::kNoNan, "nnan"}, {ir::kNoInf, "ninf"}};

}  // namespace

v1::GetAssemblyResponse::Listing ListingOf(const store::RuleRecord& record, const machine::Machine& machine,
                                           std::string* sizes) {
  v1::GetAssemblyResponse::Listing listing;
  listing.set_machine(machine.id());
  if (sizes != nullptr) *sizes = SizesIn(record.search);
  const absl::StatusOr<machine::Program> before = Select(machine, record.search);
  if (before.ok()) Fill(machine, *before, listing.mutable_before(), listing.mutable_before_cost());
  absl::StatusOr<machine::Program> after =
      record.program.empty() ? Select(machine, record.replace) : machine::ParseProgram(machine, record.program);
  if (after.ok()) Fill(machine, *after, listing.mutable_after(), listing.mutable_after_cost());
  if (!before.ok()) listing.set_problem(absl::StrCat("before: ", before.status().message()));
  if (before.ok() && !after.ok()) listing.set_problem(absl::StrCat("after: ", after.status().message()));
  return listing;
}

absl::StatusOr<std::vector<Weakening>> WeakeningsOf(const store::RuleRecord& record) {
  const absl::StatusOr<ir::Term> search = ir::ParseSearch(record.search);
  if (!search.ok()) return search.status();
  std::vector<Weakening> weakenings;
  std::set<std::string> named;
  std::vector<ir::NodeIndex> order;
  Visit(*search, search->root, &order);
  int ops = 0;
  for (const ir::NodeIndex index : order) {
    const ir::Node& node = search->at(index);
    const bool is_variable = node.kind == ir::NodeKind::kVariable;
    if (node.kind == ir::NodeKind::kConstant || (is_variable && !named.insert(node.name).second)) continue;
    const std::string name = is_variable ? node.name : absl::StrCat("n", ops++);
    for (const std::string& predicate : node.predicates) {
      ir::Term without = *search;
      for (ir::Node& other : without.nodes) {  // a variable may have several nodes
        const bool same = is_variable ? other.kind == ir::NodeKind::kVariable && other.name == node.name
                                      : &other == &without.nodes[index];
        if (same) std::erase(other.predicates, predicate);
      }
      weakenings.push_back({absl::StrCat(name, ": ", predicate), RuleText(without, record)});
    }
    for (const auto& [flag, word] : kPermissions) {
      if ((node.flags & flag) == 0) continue;
      ir::Term without = *search;
      without.nodes[index].flags &= static_cast<uint8_t>(~flag);
      weakenings.push_back({absl::StrCat(name, ": ", word), RuleText(without, record)});
    }
  }
  return weakenings;
}

}  // namespace rewrought::rpc
