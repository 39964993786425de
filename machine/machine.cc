#include "machine/machine.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "machine/embedded_descriptions.h"
#include "machine/known_answers.h"

namespace rewrought::machine {

const std::vector<int>& Machine::VariantsOf(absl::string_view mnemonic) const {
  static const std::vector<int>& none = *new std::vector<int>;
  const auto found = by_mnemonic_.find(mnemonic);
  return found == by_mnemonic_.end() ? none : found->second;
}

TypeIndex Machine::FindType(absl::string_view name) const {
  for (size_t i = 0; i < types_.size(); ++i) {
    if (types_[i].name == name) return static_cast<TypeIndex>(i);
  }
  return -1;
}

const ir::OpRow* Machine::ResultFlagRow(int selector, int choice, TypeIndex type) const {
  const auto found = result_flag_rows_.find({selector, type});
  return found == result_flag_rows_.end() ? nullptr : found->second[choice];
}

const ir::OpRow* Machine::MergeRow(int bits) const {
  const auto found = merge_rows_.find(bits);
  return found == merge_rows_.end() ? nullptr : found->second;
}

const ir::OpRow* Machine::FlagNotRow() const { return flag_not_row_; }

const ir::OpRow* Machine::ExtractRow(int wide, int bits, int index) const {
  const auto found = extract_rows_.find({wide, bits, index});
  return found == extract_rows_.end() ? nullptr : found->second;
}

const ir::OpRow* Machine::InsertRow(int wide, int bits, int index) const {
  const auto found = insert_rows_.find({wide, bits, index});
  return found == insert_rows_.end() ? nullptr : found->second;
}

absl::StatusOr<std::unique_ptr<const Machine>> LoadMachine(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read the machine description ", path));
  std::stringstream text;
  text << file.rdbuf();
  return ParseMachine(text.str(), path);
}

namespace {

// The built-in description `index`, loaded on its first use.
const Machine* BuiltIn(size_t index) {
  static std::mutex& mutex = *new std::mutex;
  static auto& loaded = *new std::vector<const Machine*>(kEmbeddedDescriptions.size());
  const std::lock_guard<std::mutex> lock(mutex);
  if (loaded[index] == nullptr) {
    const EmbeddedDescription& embedded = kEmbeddedDescriptions[index];
    absl::StatusOr<std::unique_ptr<const Machine>> machine = ParseMachine(embedded.text, embedded.file);
    if (!machine.ok()) {  // a broken built-in description is a broken build: machine_test catches it
      std::fprintf(stderr, "%s\n", std::string(machine.status().message()).c_str());
      std::abort();
    }
    loaded[index] = machine->release();
  }
  return loaded[index];
}

// The files are named by the machines' ids.
absl::string_view IdOf(const EmbeddedDescription& embedded) {
  absl::string_view name = embedded.file;
  name.remove_prefix(name.rfind('/') + 1);
  return absl::StripSuffix(name, ".textproto");
}

}  // namespace

const std::vector<const Machine*>& AllMachines() {
  static const std::vector<const Machine*>& machines = *[] {
    auto* all = new std::vector<const Machine*>;
    for (size_t i = 0; i < kEmbeddedDescriptions.size(); ++i) all->push_back(BuiltIn(i));
    return all;
  }();
  return machines;
}

int KnownAnswersOf(absl::string_view id) {
  for (const EmbeddedDescription& embedded : kEmbeddedDescriptions) {
    if (IdOf(embedded) == id) return embedded.known_answers;
  }
  return 0;
}

absl::StatusOr<const Machine*> FindMachine(absl::string_view id) {
  std::string known;
  for (size_t i = 0; i < kEmbeddedDescriptions.size(); ++i) {
    const absl::string_view name = IdOf(kEmbeddedDescriptions[i]);
    if (name == id) return BuiltIn(i);
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::NotFoundError(absl::StrCat("no machine is called '", id, "'; there are ", known));
}

}  // namespace rewrought::machine
