#include "machine/machine.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "machine/description_files.h"
#include "machine/known_answer_files.h"
#include "machine/known_answers.h"
#include "proto/read_file.h"

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
  const absl::StatusOr<std::string> text = proto::ReadFile(path, proto::kTextProtoLimits);
  if (!text.ok()) return text.status();
  return ParseMachine(*text, path);
}

namespace {

// Returns the built-in machine `index`. Loads it on first use. The files are named after the machines' ids.
const Machine* BuiltIn(size_t index) {
  static std::mutex& mutex = *new std::mutex;
  static auto& loaded = *new std::vector<const Machine*>(DescriptionFiles().size());
  const std::lock_guard<std::mutex> lock(mutex);
  if (loaded[index] == nullptr) {
    const ir::EmbeddedFile& embedded = DescriptionFiles()[index];
    absl::StatusOr<std::unique_ptr<const Machine>> machine = ParseMachine(embedded.text, embedded.path);
    if (!machine.ok()) {  // machine_test checks that every built-in description loads.
      std::fprintf(stderr, "%s\n", std::string(machine.status().message()).c_str());
      std::abort();
    }
    loaded[index] = machine->release();
  }
  return loaded[index];
}

}  // namespace

const std::vector<const Machine*>& AllMachines() {
  static const std::vector<const Machine*>& machines = *[] {
    auto* all = new std::vector<const Machine*>;
    for (size_t i = 0; i < DescriptionFiles().size(); ++i) all->push_back(BuiltIn(i));
    return all;
  }();
  return machines;
}

int KnownAnswersOf(absl::string_view id) {
  for (const ir::EmbeddedFile& file : KnownAnswerFiles()) {
    if (file.stem() != id) continue;
    const std::vector<absl::string_view> lines = absl::StrSplit(file.text, '\n');
    return std::count_if(lines.begin(), lines.end(),
                         [](absl::string_view line) { return !line.empty() && line[0] == '['; });
  }
  return 0;
}

absl::StatusOr<const Machine*> FindMachine(absl::string_view id) {
  std::string known;
  for (size_t i = 0; i < DescriptionFiles().size(); ++i) {
    const absl::string_view name = DescriptionFiles()[i].stem();
    if (name == id) return BuiltIn(i);
    absl::StrAppend(&known, known.empty() ? "" : ", ", name);
  }
  return absl::NotFoundError(absl::StrCat("unknown machine '", id, "'; the machines are ", known));
}

}  // namespace rewrought::machine
