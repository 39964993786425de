#include "server/messages/rule_proto.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/digest.h"
#include "ir/match/relation.h"
#include "ir/scalar.h"
#include "ir/text/display.h"
#include "ir/text/rule_text.h"
#include "pipeline/rule_message.h"
#include "server/messages/message_cache.h"
#include "store/rule_store.h"

namespace rewrought::rpc {
namespace {

v1::ValueType ToProto(ir::BaseType type) {
  switch (type) {
    case ir::BaseType::kUint:
      return v1::VALUE_TYPE_UINT;
    case ir::BaseType::kInt:
      return v1::VALUE_TYPE_INT;
    case ir::BaseType::kFloat:
      return v1::VALUE_TYPE_FLOAT;
    case ir::BaseType::kBool:
      return v1::VALUE_TYPE_BOOL;
  }
  return v1::VALUE_TYPE_UNSPECIFIED;
}

v1::LiteralForm ToProto(ir::LiteralKind kind) {
  switch (kind) {
    case ir::LiteralKind::kBits:
      return v1::LITERAL_FORM_BITS;
    case ir::LiteralKind::kBool:
      return v1::LITERAL_FORM_BOOL;
    case ir::LiteralKind::kInt:
      return v1::LITERAL_FORM_INT;
    case ir::LiteralKind::kFloat:
      return v1::LITERAL_FORM_FLOAT;
  }
  return v1::LITERAL_FORM_UNSPECIFIED;
}

void Fill(const ir::Node& node, v1::TermNode* proto) {
  proto->set_bits(node.bits);
  proto->set_components(node.components);
  const uint32_t all = (1u << node.components) - 1;
  if ((node.write_mask & all) != all) proto->set_write_mask(node.write_mask & all);
  pipeline::AddNodeFlags(node.flags, proto->mutable_flags());
  for (const std::string& predicate : node.predicates) proto->add_predicates(predicate);
  switch (node.kind) {
    case ir::NodeKind::kVariable:
      proto->mutable_variable()->set_name(node.name);
      proto->mutable_variable()->set_constant_only(node.constant_only);
      if (node.typed) proto->mutable_variable()->set_type(ToProto(node.type));
      break;
    case ir::NodeKind::kConstant:
      proto->mutable_constant()->set_form(ToProto(node.literal));
      for (int c = 0; c < node.components; ++c) proto->mutable_constant()->add_values(node.values[c]);
      break;
    case ir::NodeKind::kOp:
      proto->mutable_op()->set_name(std::string(node.op->name));
      for (const ir::Source& source : node.sources) {
        v1::TermSource* use = proto->mutable_op()->add_sources();
        use->set_node(source.node);
        if (source.swizzle == ir::kIdentitySwizzle) continue;
        for (const uint8_t lane : source.swizzle) use->add_swizzle(lane);
      }
      break;
  }
}

// Returns the text of `node` without its sources, quotes, and parentheses.
std::string LabelOf(ir::Node node) {
  node.sources.clear();
  ir::Term alone;
  alone.nodes.push_back(std::move(node));
  std::string text = ir::PrintTerm(alone);
  std::erase(text, '\'');
  return text.starts_with('(') ? text.substr(1, text.size() - 2) : text;
}

// Formats a constant's bit pattern as a float, with the fewest digits from which the pattern can be read back.
std::string FloatLabelOf(ir::Node node) {
  double value = ir::BitsToFloat(node.values[0], node.bits);
  char digits[40];
  if (std::isfinite(value) && node.bits <= 32) {
    const auto end = std::to_chars(digits, digits + sizeof(digits), static_cast<float>(value)).ptr;
    std::from_chars(digits, end, value);
  }
  node.literal = ir::LiteralKind::kFloat;
  node.values.fill(std::bit_cast<uint64_t>(value));
  node.bits = 0;
  return LabelOf(std::move(node));
}

bool IsFloatPattern(const ir::Node& node, ir::BaseType type) {
  return node.kind == ir::NodeKind::kConstant && node.literal == ir::LiteralKind::kBits && node.components == 1 &&
         ir::IsFloatWidth(node.bits) && type == ir::BaseType::kFloat;
}

void SetLabels(const ir::Term& term, ir::BaseType root, v1::Term* proto) {
  for (size_t i = 0; i < term.nodes.size(); ++i) {
    const ir::Node& node = term.nodes[i];
    proto->mutable_nodes(static_cast<int>(i))->set_label(LabelOf(node));
    for (size_t k = 0; k < node.sources.size() && k < node.op->sources.size(); ++k) {
      const ir::NodeIndex index = node.sources[k].node;
      if (!IsFloatPattern(term.nodes[index], node.op->sources[k].base)) continue;
      proto->mutable_nodes(static_cast<int>(index))->set_label(FloatLabelOf(term.nodes[index]));
    }
  }
  if (!IsFloatPattern(term.root_node(), root)) return;
  proto->mutable_nodes(static_cast<int>(term.root))->set_label(FloatLabelOf(term.root_node()));
}

}  // namespace

ir::BaseType RootType(const ir::Term& term) {
  const ir::Node& root = term.at(ir::MatchedRoot(term));
  return root.kind == ir::NodeKind::kOp ? root.op->result.base : ir::BaseType::kUint;
}

v1::Term ToProto(const ir::Term& term, ir::BaseType root) {
  v1::Term proto;
  for (const ir::Node& node : term.nodes) Fill(node, proto.add_nodes());
  SetLabels(term, root, &proto);
  proto.set_root(term.root);
  proto.set_text(ir::DisplayTerm(term));
  return proto;
}

namespace {

v1::RewriteRule MakeTexts(const std::string& search_text, const std::string& replace_text) {
  v1::RewriteRule texts;
  ir::DisplayedSides sides = ir::DisplayTexts(search_text, replace_text);
  texts.set_search(std::move(sides.search));
  texts.set_replace(std::move(sides.replace));
  const absl::StatusOr<ir::Term> search = ir::ParseSearch(search_text);
  if (search.ok()) *texts.mutable_search_term() = rpc::ToProto(*search);
  if (replace_text.empty()) return texts;
  const absl::StatusOr<ir::Term> replace = ir::ParseTerm(replace_text);
  if (!replace.ok()) return texts;
  *texts.mutable_replace_term() = rpc::ToProto(*replace, search.ok() ? RootType(*search) : ir::BaseType::kUint);
  return texts;
}

}  // namespace

// Caches the texts of rules. MakeTexts finds by trial and error which sizes a rule's text may omit; without the cache,
// this takes half the time of a response with many rules.
v1::RewriteRule TextsOf(const store::RuleRecord& record) {
  static MessageCache* const cache = new MessageCache(8 << 20);
  const ir::Digest key = ir::Digest::Of(absl::StrCat(record.search, "\n", record.replace));
  v1::RewriteRule texts;
  if (cache->Find(key, &texts)) return texts;
  texts = MakeTexts(record.search, record.replace);
  cache->Keep(key, texts);
  return texts;
}

absl::StatusOr<v1::RewriteRule> ToProto(store::Store* store, const store::RuleRecord& record) {
  const absl::StatusOr<std::vector<store::MeasurementRecord>> measurements =
      store::RuleStore(store).Measurements(record.id);
  if (!measurements.ok()) return measurements.status();
  const absl::StatusOr<std::vector<v1::RuleTrial>> trials = store::RuleStore(store).Trials(record.id);
  if (!trials.ok()) return trials.status();
  v1::RewriteRule rule = pipeline::RuleMessage(record, *measurements);
  rule.mutable_trials()->Assign(trials->begin(), trials->end());
  rule.MergeFrom(TextsOf(record));
  return rule;
}

absl::StatusOr<v1::RewriteRule> ListedProto(store::Store* store, const store::RuleRecord& record) {
  absl::StatusOr<v1::RewriteRule> rule = ToProto(store, record);
  if (!rule.ok()) return rule;
  for (v1::RuleTrial& trial : *rule->mutable_trials()) trial.clear_example();
  rule->clear_search_term();
  rule->clear_replace_term();
  return rule;
}

void AddCaseTerms(const verifier::CheckedEntry& checked, v1::RuleVerdict* verdict) {
  for (int i = 0; i < verdict->cases_size(); ++i) {
    if (verdict->cases(i).explain_size() == 0) continue;
    const verifier::RuleCase& one = checked.verdict.cases[static_cast<size_t>(i)].rule_case;
    *verdict->mutable_cases(i)->mutable_search_term() = ToProto(one.search);
    *verdict->mutable_cases(i)->mutable_replace_term() = ToProto(one.replace, RootType(one.search));
  }
}

}  // namespace rewrought::rpc
