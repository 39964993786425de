#include "server/messages/audit_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "audit/reproducer.h"
#include "ir/match/op_names.h"
#include "proto/json_text.h"
#include "proto/names.h"
#include "proto/utf8.h"
#include "server/messages/time_proto.h"

namespace rewrought::rpc {
namespace {

using Json = nlohmann::json;

// Text, Number, Flag, and Part return a field of `object`, or an empty value if the field is missing. The first three
// also return an empty value if the field has another type. (Other programs may have written the file.)
std::string Text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? ToUtf8(found->get_ref<const std::string&>()) : "";
}
uint64_t Number(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
}
bool Flag(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}
const Json& Part(const Json& object, const char* key) {
  static const Json nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

// Formats a bit pattern or "nan", or a list of these as "(0x…, 0x…)".
std::string Spell(const Json& value) {
  if (value.is_string()) return ToUtf8(value.get_ref<const std::string&>());
  if (!value.is_array()) return value.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::vector<std::string> parts;
  for (const Json& part : value) parts.push_back(part.is_array() ? absl::StrCat("(", Spell(part), ")") : Spell(part));
  return absl::StrJoin(parts, ", ");
}

v1::CaseVerdict CaseOf(const Json& one) {
  v1::CaseVerdict proto;
  proto.set_width(static_cast<uint32_t>(Number(one, "width")));
  proto.set_mode(v1::Named<v1::DenormMode>(Text(one, "mode")));
  proto.set_verdict(v1::Named<v1::Verdict>(Text(one, "verdict")));
  proto.set_tier(v1::Named<v1::Tier>(Text(one, "tier")));
  proto.set_reason(Text(one, "reason"));
  if (Part(one, "ms").is_number()) proto.set_ms(Part(one, "ms").get<double>());
  if (Part(one, "sizes").is_object()) {
    for (const auto& [name, bits] : Part(one, "sizes").items()) {
      if (bits.is_number_unsigned()) (*proto.mutable_sizes())[ToUtf8(name)] = bits.get<uint32_t>();
    }
  }
  if (Part(one, "confirmed_by").is_array()) {
    for (const Json& by : Part(one, "confirmed_by")) proto.add_confirmed_by(Spell(by));
  }
  const Json& witness = Part(one, "witness");
  if (!witness.is_object()) return proto;
  if (Part(witness, "vars").is_object()) {
    for (const auto& [name, value] : Part(witness, "vars").items()) {
      (*proto.mutable_witness()->mutable_vars())[ToUtf8(name)] = Spell(value);
    }
  }
  const Json& search = Part(witness, "search");
  if (search.is_array()) {
    for (const Json& allowed : search) proto.mutable_witness()->add_search(Spell(allowed));
  } else if (!search.is_null()) {
    proto.mutable_witness()->add_search(Spell(search));
  }
  proto.mutable_witness()->set_replace(Spell(Part(witness, "replace")));
  return proto;
}

v1::AuditFinding FindingOf(const Json& object) {
  v1::AuditFinding finding;
  finding.set_pass(Text(object, "pass"));
  finding.set_index(Number(object, "index"));
  finding.set_file(Text(object, "file"));
  finding.set_line(Number(object, "line"));
  finding.set_search(Text(object, "search"));
  finding.set_replace(Text(object, "replace"));
  finding.set_condition(Text(object, "condition"));
  finding.set_dialect(v1::Named<v1::Dialect>(Text(object, "dialect")));
  finding.set_audit_class(v1::Named<v1::AuditClass>(Text(object, "class")));
  finding.set_id(Text(object, "id"));
  finding.set_inexact(Flag(object, "inexact"));
  finding.set_lowering(Flag(object, "lowering"));
  finding.set_was(Text(object, "was"));
  finding.set_waived(Text(object, "waived"));
  finding.set_note(Text(object, "note"));
  const Json& shadow = Part(object, "shadowed_by");
  if (shadow.is_object()) finding.set_shadowed_by(absl::StrCat(Text(shadow, "file"), ":", Number(shadow, "line")));
  return finding;
}

template <typename Counts>
void Count(v1::AuditClass audit_class, Counts* counts) {
  for (v1::AuditCount& one : *counts) {
    if (one.audit_class() == audit_class) return one.set_rules(one.rules() + 1);
  }
  v1::AuditCount* added = counts->Add();
  added->set_audit_class(audit_class);
  added->set_rules(1);
}

std::string RuleText(const v1::AuditFinding& finding) {
  return absl::StrCat("(", finding.search(), ", ", finding.replace(), ")");
}

}  // namespace

AuditFile::AuditFile(std::string text, const std::string& name, absl::Time modified) : text_(std::move(text)) {
  summary_.set_name(name);
  *summary_.mutable_modified() = ToProto(modified);
  std::map<std::string, v1::Audit::Pass> passes;
  for (size_t at = 0; at < text_.size();) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    const absl::string_view line = absl::string_view(text_).substr(at, end - at);
    const size_t start = at;
    at = end + 1;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const Json object = proto::ParseJson(line);
    if (!object.is_object() || !object.contains("search") || v1::Named<v1::AuditClass>(Text(object, "class")) == 0) {
      summary_.set_unreadable(summary_.unreadable() + 1);
      continue;
    }
    Row row{FindingOf(object), {}, start, end - start};
    row.finding.set_number(rows_.size());
    for (const std::string& side : {row.finding.search(), row.finding.replace()}) {
      for (std::string& op : ir::OpNamesIn(side)) row.ops.insert(std::move(op));
    }
    Count(row.finding.audit_class(), summary_.mutable_counts());
    v1::Audit::Pass& pass = passes[row.finding.pass()];
    pass.set_name(row.finding.pass());
    Count(row.finding.audit_class(), pass.mutable_counts());
    if (!row.finding.shadowed_by().empty()) summary_.set_shadowed(summary_.shadowed() + 1);
    rows_.push_back(std::move(row));
  }
  summary_.set_rules(rows_.size());
  for (auto& [unused, pass] : passes) *summary_.add_passes() = std::move(pass);
}

v1::GetAuditFindingResponse AuditFile::Whole(size_t number) const {
  const Row& row = rows_[number];
  v1::GetAuditFindingResponse whole;
  *whole.mutable_finding() = row.finding;
  const Json object = proto::ParseJson(absl::string_view(text_).substr(row.at, row.length));
  const auto each = [](const Json& list, const auto& visit) {
    if (!list.is_array()) return;
    for (const Json& one : list) visit(one);
  };
  each(Part(object, "cases"), [&](const Json& one) {
    if (!one.is_object()) return;
    const int case_number = whole.cases_size();
    *whole.add_cases() = CaseOf(one);
    each(Part(one, "explain"), [&](const Json& node) {
      if (!node.is_object()) return;
      v1::GetAuditFindingResponse::NodeValue* value = whole.add_values();
      value->set_case_number(static_cast<uint32_t>(case_number));
      value->set_side(Text(node, "side"));
      value->set_node(Text(node, "node"));
      each(Part(node, "values"), [&](const Json& text) { value->add_values(Spell(text)); });
    });
  });
  each(Part(object, "weaker"), [&](const Json& one) { whole.add_weaker(Spell(one)); });
  each(Part(object, "weakest"), [&](const Json& set) {
    v1::AssumptionSet* added = whole.add_weakest();
    each(set, [&](const Json& one) { added->add_assumptions(Spell(one)); });
  });
  whole.set_verified_as(Text(object, "verified_as"));
  const Json& suggested_fix = Part(object, "suggested_fix");
  if (suggested_fix.is_object()) {
    whole.set_suggested_fix(absl::StrCat(Text(suggested_fix, "change"), " (", Text(suggested_fix, "verdict"),
                                         "): ", Text(suggested_fix, "rule")));
  }
  if (Part(object, "statement").is_object()) {
    whole.set_reals(absl::StrCat(Text(object["statement"], "reals"), ": ", Text(object["statement"], "reason")));
  }
  const std::string rule = whole.verified_as().empty() ? RuleText(row.finding) : whole.verified_as();
  whole.set_reproduce(audit::Reproducer(rule, v1::NameOf(row.finding.dialect())));
  return whole;
}

}  // namespace rewrought::rpc
