#include "emitter/json_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <cmath>
#include <memory>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "emitter/files/provenance.h"
#include "emitter/nir/nir_target.h"
#include "proto/parse_limits.h"

namespace rewrought::emitter {
namespace {

namespace json = google::protobuf::util;

constexpr char kTypePrefix[] = "type.googleapis.com";

// Sorts maps before printing, because MessageToJsonString prints them in hash order.
std::string Print(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  const std::unique_ptr<json::TypeResolver> resolver(
      json::NewTypeResolverForDescriptorPool(kTypePrefix, message.GetDescriptor()->file()->pool()));
  json::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  std::string text;
  const auto status = json::BinaryToJsonString(
      resolver.get(), absl::StrCat(kTypePrefix, "/", message.GetDescriptor()->full_name()), bytes, &text, options);
  // Our messages can always be printed, unless a string is not UTF-8.
  return status.ok() ? text
                     : absl::StrCat("{\"error\": \"", message.GetDescriptor()->name(), " cannot be printed\"}\n");
}

absl::Status Parse(absl::string_view text, bool ignore_unknown, google::protobuf::Message* message) {
  if (absl::Status bounded = proto::CheckJson(text); !bounded.ok()) return bounded;
  json::JsonParseOptions options;
  options.ignore_unknown_fields = ignore_unknown;
  const auto status = json::JsonStringToMessage(std::string(text), message, options);
  if (status.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("not a ", message->GetDescriptor()->name(), ": ", std::string(status.message())));
}

void SetString(google::protobuf::Struct* object, const std::string& key, const std::string& value) {
  (*object->mutable_fields())[key].set_string_value(value);
}

// The first line of pack.json. It is not a field of the schema, because it does not describe the rules.
const std::string& LicenseLine() {
  static const std::string& line = *new std::string(absl::StrCat(" \"license\": \"", kLicense, "\",\n"));
  return line;
}

google::protobuf::Struct Counts(const Pack& pack) {
  double programs = 0;
  for (const v1::PackEntry& entry : pack.message.entries()) programs += entry.rule().program().empty() ? 0 : 1;
  const std::pair<const char*, double> counts[] = {{"entries", pack.message.entries_size()},
                                                   {"programs", programs},
                                                   {"blocked", static_cast<double>(pack.blocked.size())},
                                                   {"other_class", static_cast<double>(pack.set_aside)}};
  google::protobuf::Struct object;
  for (const auto& [name, count] : counts) (*object.mutable_fields())[name].set_number_value(count);
  return object;
}

google::protobuf::Struct PassObject(const PassFacts& pass) {
  google::protobuf::Struct object;
  auto& fields = *object.mutable_fields();
  fields["tuples"].set_number_value(static_cast<double>(pass.tables.tuples));
  fields["states"].set_number_value(static_cast<double>(pass.tables.states));
  fields["table_entries"].set_number_value(static_cast<double>(pass.tables.entries));
  fields["c_bytes"].set_number_value(static_cast<double>(pass.tables.bytes));
  fields["generation_seconds"].set_number_value(std::round(pass.tables.seconds * 100) / 100);
  fields["text_bytes"].set_number_value(static_cast<double>(pass.text_bytes));
  auto& weights = *fields["weights"].mutable_struct_value()->mutable_fields();
  for (const auto& [op, weight] : pass.weights) weights[op].set_number_value(weight);
  return object;
}

absl::Status ReadPass(const google::protobuf::Struct& object, PassFacts* pass) {
  const auto read = [](const google::protobuf::Struct& from, const std::string& key, auto* number) {
    const auto field = from.fields().find(key);
    if (field == from.fields().end()) return absl::OkStatus();
    const double value = field->second.number_value();
    if (!(value >= 0 && value <= 4e9))
      return absl::InvalidArgumentError(absl::StrCat("pass: ", key, " is not a count"));
    *number = static_cast<std::decay_t<decltype(*number)>>(value);
    return absl::OkStatus();
  };
  absl::Status status = read(object, "tuples", &pass->tables.tuples);
  status.Update(read(object, "states", &pass->tables.states));
  status.Update(read(object, "table_entries", &pass->tables.entries));
  status.Update(read(object, "c_bytes", &pass->tables.bytes));
  status.Update(read(object, "generation_seconds", &pass->tables.seconds));
  status.Update(read(object, "text_bytes", &pass->text_bytes));
  const auto weights = object.fields().find("weights");
  if (weights == object.fields().end()) return status;
  for (const auto& [op, weight] : weights->second.struct_value().fields()) {
    status.Update(read(weights->second.struct_value(), op, &pass->weights[op]));
  }
  return status;
}

}  // namespace

std::string WritePackJson(const v1::Pack& pack) {
  v1::Pack copy = pack;
  copy.mutable_manifest()->clear_files();
  std::string text = Print(copy);
  if (text.substr(0, 2) == "{\n") text.insert(2, LicenseLine());
  return text;
}

absl::StatusOr<v1::Pack> ReadPackJson(absl::string_view text) {
  v1::Pack pack;
  // Older packs lack the license line.
  const size_t license = text.substr(0, 2) == "{\n" && absl::StartsWith(text.substr(2), LicenseLine()) ? 2 : 0;
  const std::string without =
      license == 0 ? "" : absl::StrCat(text.substr(0, license), text.substr(license + LicenseLine().size()));
  const absl::Status status = Parse(license == 0 ? text : without, false, &pack);
  if (!status.ok()) return status;
  return pack;
}

std::string WriteManifestJson(const Pack& pack) {
  google::protobuf::Struct object;
  // Parse the manifest again to put all fields into one object.
  if (!Parse(Print(pack.message.manifest()), false, &object).ok()) return Print(pack.message.manifest());
  auto& fields = *object.mutable_fields();
  SetString(&object, "license", std::string(kLicense));
  SetString(&object, "target", pack.target);
  SetString(&object, "rule_class", v1::RuleClass_Name(pack.rule_class));
  *fields["counts"].mutable_struct_value() = Counts(pack);
  *fields["pass"].mutable_struct_value() = PassObject(pack.pass);
  auto* const peers = fields["peers"].mutable_list_value();
  for (const auto& [name, result] : pack.peers) {
    google::protobuf::Struct* const peer = peers->add_values()->mutable_struct_value();
    SetString(peer, "name", name);
    SetString(peer, "result", result);
  }
  auto* const blocked = fields["blocked"].mutable_list_value();
  for (const BlockedRule& rule : pack.blocked) {
    google::protobuf::Struct* const one = blocked->add_values()->mutable_struct_value();
    SetString(one, "id", rule.id);
    SetString(one, "rule", rule.rule);
    SetString(one, "reason", rule.reason);
  }
  return Print(object);
}

absl::StatusOr<Manifest> ReadManifestJson(absl::string_view text) {
  Manifest manifest;
  absl::Status status = Parse(text, true, &manifest.message);
  if (!status.ok()) return status;
  google::protobuf::Struct object;
  status = Parse(text, false, &object);
  if (!status.ok()) return status;
  manifest.target = object.fields().contains("target") ? object.fields().at("target").string_value() : "";
  if (const auto target = FindNirTarget(manifest.target); !target.ok()) {
    return absl::InvalidArgumentError(target.status().message());
  }
  const std::string rule_class =
      object.fields().contains("rule_class") ? object.fields().at("rule_class").string_value() : "";
  if (!v1::RuleClass_Parse(rule_class, &manifest.rule_class)) {
    return absl::InvalidArgumentError(absl::StrCat("'", rule_class, "' is not a rule class"));
  }
  const auto& fields = object.fields();
  const auto text_of = [](const google::protobuf::Value& value, const char* key) {
    const auto& of = value.struct_value().fields();
    return of.contains(key) ? of.at(key).string_value() : std::string();
  };
  if (fields.contains("peers")) {
    for (const auto& peer : fields.at("peers").list_value().values()) {
      manifest.peers.emplace_back(text_of(peer, "name"), text_of(peer, "result"));
    }
  }
  if (fields.contains("blocked")) {
    for (const auto& one : fields.at("blocked").list_value().values()) {
      manifest.blocked.push_back({text_of(one, "id"), text_of(one, "rule"), text_of(one, "reason")});
    }
  }
  if (fields.contains("pass")) {
    status = ReadPass(fields.at("pass").struct_value(), &manifest.pass);
    if (!status.ok()) return status;
  }
  if (fields.contains("counts")) {
    const auto& counts = fields.at("counts").struct_value().fields();
    if (counts.contains("other_class")) {
      const double other = counts.at("other_class").number_value();
      if (other < 0 || other > 1e15) return absl::InvalidArgumentError("counts.other_class is not a count");
      manifest.set_aside = static_cast<uint64_t>(other);
    }
  }
  return manifest;
}

}  // namespace rewrought::emitter
