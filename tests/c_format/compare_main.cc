// Compares the instructions that the `c` format's runtime and the C++ selector select for every shader below each PATH.
// usage: compare [--machine ID]... [--pack FOLDER]... [--rules FILE]... PATH...
// FILE is the output of `rewrought rank --json`, whose rules are treated as proved at every size. Each pack is tried
// on its own machine. Without packs, all machines (or the given ones) are tried with only their base rules. The exit
// status is 1 if the code of any shader differs.
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "corpus/facts.h"
#include "corpus/harvest_files.h"
#include "corpus/reader.h"
#include "emitter/c/rule_tables.h"
#include "emitter/c/testing/compare_cover.h"
#include "emitter/pack_folder.h"
#include "emitter/testing/sample_rules.h"
#include "ir/facts/fact_predicates.h"
#include "ir/match/facts.h"
#include "machine/select/lower.h"
#include "machine/select/selection.h"

namespace rewrought {
namespace {

struct Tally {
  uint64_t shaders = 0, same = 0, instructions = 0, of_selector = 0, pieces = 0, uncovered = 0, from_pack = 0;
  double cost = 0, of_selector_cost = 0;
  size_t memory = 0, rules = 0;
  emitter::CTableBytes bytes;
};

std::vector<ir::Shader> ReadShaders(const std::vector<std::string>& paths) {
  std::vector<corpus::HarvestFile> files;
  std::vector<ir::Shader> shaders;
  for (const std::string& path : paths) {
    if (absl::Status status = corpus::ListFiles({path, ""}, &files); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
    }
  }
  corpus::ReadReport report;
  corpus::ReadOptions options;
  corpus::ForEachUnit(files, options.file_bytes, {}, [&](const corpus::HarvestUnit& unit) {
    const std::string& name = files[unit.file].name;
    corpus::ReadBytes(
        name, unit.bytes, options, [&](ir::Shader shader) { shaders.push_back(std::move(shader)); }, &report);
    return true;
  });
  return shaders;
}

Tally CompareAll(const emitter::PackSelection& selection, const std::vector<ir::Shader>& shaders) {
  Tally tally;
  const absl::StatusOr<emitter::CTables> tables = emitter::BuildCTables(selection);
  if (!tables.ok()) return std::printf("%s\n", tables.status().ToString().c_str()), tally.shaders = 1, tally;
  tally.rules = tables->rules.size(), tally.bytes = emitter::BytesOf(*tables);
  std::vector<const char*> names, conditions;
  const rw_tables view = emitter::ViewOf(*tables, &names, &conditions);
  const auto vectors = machine::select::VectorOptionsOf(*selection.rules);
  for (const ir::Shader& shader : shaders) {
    auto scalar = machine::select::Scalarize(shader, vectors.has_value() ? &*vectors : nullptr);
    if (!scalar.ok()) continue;
    machine::select::LowerMissing(*selection.rules, &*scalar);
    const corpus::ShaderFacts facts(scalar->shader);
    const ir::FactCallback known = [&](const ir::PredicateQuery& query) {
      return ir::FactsOfNodes(query) ||
             ir::FactsGrant(facts.at(query.value.node, query.value.swizzle[0]), query.predicate);
    };
    const emitter::CoverComparison one = emitter::CompareCover(selection, view, *scalar, known);
    ++tally.shaders, tally.same += one.same;
    tally.instructions += one.runtime.instructions, tally.of_selector += one.selector_instructions;
    tally.pieces += one.runtime.pieces, tally.uncovered += one.runtime.uncovered;
    tally.from_pack += one.from_pack;
    tally.cost += one.runtime.cost, tally.of_selector_cost += one.selector_cost;
    tally.memory = std::max(tally.memory, one.runtime.memory_used);
    if (!one.same)
      std::printf("%s %s: %s\n", selection.machine->id().c_str(), shader.name.c_str(), one.difference.c_str());
  }
  return tally;
}

// Returns a pack of the rules in a file of `rank --json`, with invented evidence.
v1::Pack PackOfRules(const std::string& path) {
  v1::Pack pack;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    google::protobuf::Struct object;
    if (!google::protobuf::util::JsonStringToMessage(line, &object).ok()) continue;
    const auto text = [&](const char* name) {
      return object.fields().contains(name) ? object.fields().at(name).string_value() : "";
    };
    const std::string search = text("search"), rule = text("rule"), machine = text("machine");
    const size_t start = search.size() + 3;  // after "(SEARCH, "
    if (search.empty() || rule.size() <= start) continue;
    const std::string gives = rule.substr(start, rule.size() - start - 1);
    pack.mutable_manifest()->set_machine(machine);
    v1::PackEntry& entry = *pack.add_entries();
    entry =
        (gives[0] == '[' ? emitter::SampleProgram(machine, search, gives) : emitter::SampleRule(search, gives)).entry;
    entry.mutable_rule()->set_id(text("id"));
  }
  return pack;
}

// Prints the comparison. Returns whether the code of all shaders is equal.
bool Report(const std::string& name, const emitter::PackSelection& selection, const std::vector<ir::Shader>& shaders) {
  const Tally t = CompareAll(selection, shaders);
  absl::PrintF("%-20s %6d of %6d %11d %11d %13.3f %13.3f %9d %9d %9d %7d %7d %8d %8d\n", name, t.same, t.shaders,
               t.instructions, t.of_selector, t.cost, t.of_selector_cost, t.pieces, t.uncovered, t.from_pack, t.rules,
               t.bytes.all, t.bytes.names, t.memory);
  std::fflush(stdout);
  return t.same == t.shaders && t.shaders > 0;
}

int Run(const std::vector<std::string>& machines, const std::vector<std::string>& packs,
        const std::vector<std::string>& rules, const std::vector<std::string>& paths) {
  const std::vector<ir::Shader> shaders = ReadShaders(paths);
  absl::PrintF("%-20s %16s %11s %11s %13s %13s %9s %9s %9s %7s %7s %8s %8s\n", "", "same shaders", "runtime",
               "selector", "its cost", "selector's", "pieces", "uncovered", "of packs", "rules", "bytes", "of names",
               "memory");
  bool same = !shaders.empty();
  for (const std::string& path : packs) {
    const auto pack = emitter::LoadPack(path, "");
    if (!pack.ok()) return std::fprintf(stderr, "%s\n", pack.status().ToString().c_str()), 1;
    const auto selection = emitter::SelectionOf(pack->message);
    if (!selection.ok()) return std::fprintf(stderr, "%s\n", selection.status().ToString().c_str()), 1;
    same &= Report(absl::StrCat((*selection)->machine->id(), " + pack"), **selection, shaders);
  }
  for (const std::string& file : rules) {
    const auto selection = emitter::SelectionOf(PackOfRules(file));
    if (!selection.ok()) return std::fprintf(stderr, "%s\n", selection.status().ToString().c_str()), 1;
    same &= Report(absl::StrCat((*selection)->machine->id(), " + ", (*selection)->pack.size()), **selection, shaders);
  }
  for (const machine::Machine* machine : machine::AllMachines()) {
    const bool named = std::find(machines.begin(), machines.end(), machine->id()) != machines.end();
    if (!named && !(machines.empty() && packs.empty() && rules.empty())) continue;
    v1::Pack pack;
    pack.mutable_manifest()->set_machine(machine->id());
    same &= Report(machine->id(), **emitter::SelectionOf(pack), shaders);
  }
  return same ? 0 : 1;
}

}  // namespace
}  // namespace rewrought

int main(int argc, char** argv) {
  std::vector<std::string> machines, packs, rules, paths;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    std::vector<std::string>* to = argument == "--machine" ? &machines
                                   : argument == "--pack"  ? &packs
                                   : argument == "--rules" ? &rules
                                                           : nullptr;
    if (to != nullptr && i + 1 < argc) {
      to->push_back(argv[++i]);
    } else {
      paths.push_back(argument);
    }
  }
  return rewrought::Run(machines, packs, rules, paths);
}
