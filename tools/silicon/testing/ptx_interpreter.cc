#include "tools/silicon/testing/ptx_interpreter.h"

#include <algorithm>
#include <cstring>
#include <sstream>

namespace rewrought::silicon {
namespace {

std::string Trimmed(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\n\r"), last = text.find_last_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

// Removes comments that extend to the end of a line.
std::string WithoutComments(const std::string& text) {
  std::istringstream stream(text);
  std::string result;
  for (std::string line; std::getline(stream, line);) result += line.substr(0, line.find("//")) + "\n";
  return result;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(Trimmed(part));
  return parts;
}

constexpr const char* kSpecialRegisters[] = {"%tid.x", "%ntid.x", "%ctaid.x"};

}  // namespace

// Parses ".reg .b32 %i, %n, %w<8>".
void PtxKernel::Declare(const std::string& declaration) {
  for (std::string name : Split(declaration.substr(declaration.find('%')), ',')) {
    const size_t angle = name.find('<');
    const int count = angle == std::string::npos ? 0 : std::stoi(name.substr(angle + 1));
    name = name.substr(0, angle);
    if (count == 0) registers_.emplace(name, static_cast<int>(registers_.size()));
    for (int i = 0; i < count; ++i) registers_.emplace(name + std::to_string(i), static_cast<int>(registers_.size()));
  }
}

bool PtxKernel::ParseOperand(const std::string& text, Operand* operand) const {
  if (const auto known = registers_.find(text); known != registers_.end()) {
    operand->register_index = known->second;
    return true;
  }
  char* end = nullptr;
  operand->value = std::strtoull(text.c_str(), &end, 0);
  return !text.empty() && *end == '\0';
}

bool PtxKernel::ParseStatement(std::string statement, std::string* error) {
  const auto fail = [&](const std::string& what) {
    *error = "ptxas error : " + what + " in '" + statement + "'";
    return false;
  };
  for (size_t colon = statement.find(':'); colon != std::string::npos; colon = statement.find(':')) {
    labels_[Trimmed(statement.substr(0, colon))] = steps_.size();
    statement = Trimmed(statement.substr(colon + 1));
  }
  if (statement.empty()) return true;
  if (statement.rfind(".reg", 0) == 0) return Declare(statement), true;
  Step step;
  std::string rest = statement;
  if (rest[0] == '@') {
    const size_t space = rest.find(' ');
    Operand guard;
    if (!ParseOperand(rest.substr(1, space - 1), &guard) || guard.register_index < 0) return fail("unknown predicate");
    step.guard = guard.register_index;
    rest = Trimmed(rest.substr(space));
  }
  const size_t space = rest.find(' ');
  const std::string opcode = rest.substr(0, space);
  std::vector<std::string> words =
      space == std::string::npos ? std::vector<std::string>{} : Split(rest.substr(space), ',');
  if (opcode == "ret") {
    step.kind = Kind::kReturn;
    steps_.push_back(step);
    return true;
  }
  if (opcode == "bra") {
    step.kind = Kind::kBranch;
    step.label = words.at(0);
    steps_.push_back(step);
    return true;
  }
  if (opcode == "st.global.b32") {
    step.kind = Kind::kStore;
    if (words.size() != 2) return fail("expected two operands");
    std::swap(words[0], words[1]);  // the value first, as in loads
  } else if (opcode == "ld.volatile.global.b32" || opcode == "ld.global.b32") {
    step.kind = Kind::kLoad;
  } else if (opcode == "ld.param.u64" || opcode == "ld.param.u32") {
    step.kind = Kind::kLoadParameter;
  } else {
    step.function = PtxFunction(opcode, quirks_);
    if (step.function == nullptr) return fail("unknown opcode '" + opcode + "'");
  }
  if (words.size() < 2) return fail("operands are missing");
  Operand first;
  if (!ParseOperand(words[0], &first) || first.register_index < 0) return fail("unknown register '" + words[0] + "'");
  step.destination = first.register_index;
  for (size_t i = 1; i < words.size(); ++i) {
    std::string word = words[i];
    if (step.kind != Kind::kValue) {
      if (word.front() != '[' || word.back() != ']') return fail("expected an address");
      word = word.substr(1, word.size() - 2);
    }
    Operand operand;
    if (step.kind == Kind::kLoadParameter) {
      if (parameters_.count(word) == 0) return fail("unknown parameter '" + word + "'");
      operand.value = static_cast<uint64_t>(parameters_[word]);
    } else if (!ParseOperand(word, &operand)) {
      return fail("unknown symbol '" + word + "'");
    }
    step.operands.push_back(operand);
  }
  steps_.push_back(step);
  return true;
}

bool PtxKernel::Parse(const std::string& module, const std::string& entry, const Quirks& quirks, std::string* error) {
  const std::string text = WithoutComments(module);
  quirks_ = quirks;
  if (text.rfind(".version ", 0) != 0 || text.find(".target sm_70") == std::string::npos) {
    *error = "ptxas fatal : Missing .version or .target directive";
    return false;
  }
  const size_t start = text.find(".entry " + entry + "(");
  if (start == std::string::npos) {
    *error = "ptxas fatal : no entry " + entry;
    return false;
  }
  const size_t open = text.find('(', start), close = text.find(')', open);
  for (const std::string& parameter : Split(text.substr(open + 1, close - open - 1), ','))
    parameters_.emplace(parameter.substr(parameter.rfind(' ') + 1), static_cast<int>(parameters_.size()));
  for (const char* name : kSpecialRegisters) registers_.emplace(name, static_cast<int>(registers_.size()));
  const size_t begin = text.find('{', close), end = text.find('}', begin);
  // A declaration has no ';' inside angle brackets, so it can be split at ';'.
  for (const std::string& statement : Split(text.substr(begin + 1, end - begin - 1), ';')) {
    if (!ParseStatement(statement, error)) return false;
  }
  for (Step& step : steps_) {
    if (step.kind != Kind::kBranch) continue;
    if (labels_.count(step.label) == 0) {
      *error = "ptxas error : unknown label '" + step.label + "'";
      return false;
    }
    step.target = labels_[step.label];
  }
  return true;
}

void PtxKernel::Run(uint32_t thread, uint32_t threads_per_block, uint32_t block,
                    const std::vector<uint64_t>& parameters) const {
  std::vector<uint64_t> values(registers_.size());
  const uint64_t special[] = {thread, threads_per_block, block};
  for (size_t i = 0; i < std::size(special); ++i)
    values[static_cast<size_t>(registers_.at(kSpecialRegisters[i]))] = special[i];
  for (size_t at = 0; at < steps_.size(); ++at) {
    const Step& step = steps_[at];
    if (step.guard >= 0 && values[static_cast<size_t>(step.guard)] == 0) continue;
    if (step.kind == Kind::kReturn) return;
    if (step.kind == Kind::kBranch) {
      at = step.target - 1;
      continue;
    }
    uint64_t operands[4] = {};
    for (size_t i = 0; i < step.operands.size() && i < 4; ++i) {
      const Operand& operand = step.operands[i];
      operands[i] = operand.register_index < 0 ? operand.value : values[static_cast<size_t>(operand.register_index)];
    }
    uint64_t& destination = values[static_cast<size_t>(step.destination)];
    uint32_t word = 0;
    switch (step.kind) {
      case Kind::kValue:
        destination = step.function(operands);
        break;
      case Kind::kLoadParameter:
        destination = parameters[operands[0]];
        break;
      case Kind::kLoad:
        std::memcpy(&word, reinterpret_cast<const void*>(operands[0]), sizeof word);
        destination = word;
        break;
      case Kind::kStore:
        word = static_cast<uint32_t>(destination);
        std::memcpy(reinterpret_cast<void*>(operands[0]), &word, sizeof word);
        break;
      case Kind::kBranch:
      case Kind::kReturn:
        break;
    }
  }
}

}  // namespace rewrought::silicon
