#include "tests/mesa/predicates/helper_program.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rewrought {
namespace {

std::vector<PredicateMask> MasksIn(const std::string& bytes) {
  std::vector<PredicateMask> masks(bytes.size() / sizeof(PredicateMask));
  std::memcpy(masks.data(), bytes.data(), masks.size() * sizeof(PredicateMask));
  return masks;
}

[[noreturn]] void Fail(const std::string& message) {
  std::cerr << "predicates: " << message << "\n";
  std::exit(2);
}

}  // namespace

HelperProgram::HelperProgram(std::string path, absl::string_view version)
    : path_(std::move(path)), dialect_(absl::StartsWith(version, "26.") ? ir::Dialect::kNir26 : ir::Dialect::kNir25) {
  std::istringstream lines(Run("names"));
  std::string kind, name;
  while (lines >> kind >> name) (kind == "op" ? ops_ : variables_).push_back(name);
  if (variables_.empty() || ops_.empty()) Fail("the tree has no predicates");
}

std::map<std::string, std::string> HelperProgram::Types() const {
  std::map<std::string, std::string> types;
  std::istringstream lines(Run("types"));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string op, word;
    words >> op;
    while (words >> word) types[op] += word;
  }
  return types;
}

std::vector<PredicateMask> HelperProgram::Ask(const HelperRequest& request, const std::vector<uint64_t>& values) const {
  const char* folder = std::getenv("TEST_TMPDIR");
  const std::string file = absl::StrCat(folder != nullptr ? folder : "/tmp", "/predicate_request");
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (out == nullptr) Fail(absl::StrCat("cannot write ", file));
  const bool written = std::fwrite(&request, sizeof(request), 1, out) == 1 &&
                       std::fwrite(values.data(), sizeof(uint64_t), values.size(), out) == values.size();
  if (std::fclose(out) != 0 || !written) Fail(absl::StrCat("cannot write ", file));
  std::vector<PredicateMask> masks = MasksIn(Run(absl::StrCat("constants <'", file, "'")));
  if (masks.size() != request.lanes) Fail("the program returned too few answers");
  return masks;
}

std::vector<PredicateMask> HelperProgram::Masks(const std::string& command) const { return MasksIn(Run(command)); }

std::string HelperProgram::Run(const std::string& command) const {
  std::FILE* pipe = popen(absl::StrCat("'", path_, "' ", command).c_str(), "r");
  if (pipe == nullptr) Fail("cannot start the program");
  std::string out;
  char buffer[65536];
  for (size_t count; (count = std::fread(buffer, 1, sizeof(buffer), pipe)) > 0;) out.append(buffer, count);
  if (pclose(pipe) != 0) Fail(absl::StrCat("'", path_, " ", command, "' failed"));
  return out;
}

}  // namespace rewrought
