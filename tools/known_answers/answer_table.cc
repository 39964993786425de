#include "tools/known_answers/answer_table.h"

#include <cstdio>
#include <set>

#include "tools/known_answers/float_format.h"

namespace rewrought::known_answers {
namespace {

enum class Mode { kPreserve, kFlush, kAny };
constexpr Mode kModes[] = {Mode::kPreserve, Mode::kFlush, Mode::kAny};
constexpr const char* kModeNames[] = {"preserve", "flush", "any"};

std::string Hex(int width, uint64_t bits) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%0*llx", (width + 3) / 4, static_cast<unsigned long long>(bits));
  return text;
}

// The allowed results of one component.
struct Allowed {
  std::set<uint64_t> bits;
  bool nan = false;
  bool any = false;
};

void Include(Allowed& allowed, const OpSpec& spec, Mode mode, const Outcome& outcome) {
  if (outcome.poison) {
    allowed.any = true;
    return;
  }
  int width = spec.result.bits;
  if (!spec.result.is_float) {
    allowed.bits.insert(outcome.bits);
    return;
  }
  if (spec.flushing != Flushing::kNone && IsNan(width, outcome.bits)) {
    allowed.nan = true;
    return;
  }
  bool flushes = mode != Mode::kPreserve && spec.flushing != Flushing::kNone;
  bool must = mode == Mode::kFlush && spec.flushing == Flushing::kMust;
  bool denormal = IsDenormal(width, outcome.bits);
  if (!(denormal && must)) allowed.bits.insert(outcome.bits);
  if (flushes && (denormal || outcome.tiny)) allowed.bits.insert(ZeroLike(width, outcome.bits));
  if (outcome.free_zero && IsZero(width, outcome.bits)) {
    allowed.bits.insert(0);
    allowed.bits.insert(SignBit(width));
  }
}

// Returns the float source components that may be flushed, as (source, component).
std::vector<std::pair<size_t, size_t>> Flushable(const OpSpec& spec, const Inputs& inputs) {
  std::vector<std::pair<size_t, size_t>> places;
  if (spec.flushing == Flushing::kNone) return places;
  for (size_t source = 0; source < inputs.size(); ++source) {
    if (!spec.sources[source].is_float) continue;
    for (size_t component = 0; component < inputs[source].size(); ++component) {
      if (IsDenormal(spec.sources[source].bits, inputs[source][component])) places.emplace_back(source, component);
    }
  }
  return places;
}

std::string Format(int width, const Allowed& allowed) {
  if (allowed.any) return "any";
  std::vector<std::string> items;
  for (uint64_t bits : allowed.bits) items.push_back(Hex(width, bits));
  if (allowed.nan) items.push_back("nan");
  if (items.size() == 1) return items[0];
  std::string text = "{";
  for (const std::string& item : items) text += (text.size() > 1 ? ", " : "") + item;
  return text + "}";
}

std::string AnswerIn(const OpSpec& spec, Mode mode, const Inputs& inputs) {
  auto places = Flushable(spec, inputs);
  uint32_t all = (1u << places.size()) - 1;
  std::vector<Allowed> allowed(spec.result.components);
  for (uint32_t choice = 0; choice <= all; ++choice) {
    if (mode == Mode::kPreserve && choice != 0) continue;
    if (mode == Mode::kFlush && spec.flushing == Flushing::kMust && choice != all) continue;
    Inputs flushed = inputs;
    for (size_t i = 0; i < places.size(); ++i) {
      if ((choice >> i & 1) == 0) continue;
      uint64_t& bits = flushed[places[i].first][places[i].second];
      bits = ZeroLike(spec.sources[places[i].first].bits, bits);
    }
    std::vector<Outcome> outcomes = spec.evaluate(flushed);
    for (size_t i = 0; i < allowed.size(); ++i) Include(allowed[i], spec, mode, outcomes[i]);
  }
  if (allowed.size() == 1) return Format(spec.result.bits, allowed[0]);
  std::string text = "<";
  for (const Allowed& component : allowed) text += (text.size() > 1 ? "," : "") + Format(spec.result.bits, component);
  return text + ">";
}

}  // namespace

void AnswerTable::Write(const OpSpec& spec, const std::string& mode, const Inputs& inputs, const std::string& answer) {
  text_ += spec.name;
  if (spec.free_size != 0) text_ += "@" + std::to_string(spec.free_size);
  text_ += " " + mode;
  for (size_t source = 0; source < inputs.size(); ++source) {
    const Operand& operand = spec.sources[source];
    if (operand.components == 1) {
      text_ += " " + Hex(operand.bits, inputs[source][0]);
      continue;
    }
    text_ += " {";
    for (size_t i = 0; i < inputs[source].size(); ++i)
      text_ += (i > 0 ? "," : "") + Hex(operand.bits, inputs[source][i]);
    text_ += "}";
  }
  text_ += " = " + answer + "   # " + spec.reference + "\n";
}

void AnswerTable::Add(const OpSpec& spec, const Inputs& inputs, bool preserve_only) {
  bool has_floats = spec.result.is_float;
  for (const Operand& operand : spec.sources) has_floats |= operand.is_float;
  if (!has_floats) {
    Write(spec, "none", inputs, AnswerIn(spec, Mode::kPreserve, inputs));
    return;
  }
  std::string answers[3];
  for (Mode mode : kModes) answers[static_cast<int>(mode)] = AnswerIn(spec, mode, inputs);
  if (preserve_only) {
    Write(spec, "preserve", inputs, answers[0]);
  } else if (answers[0] == answers[1] && answers[1] == answers[2]) {
    int turn = turn_++ % 3;
    Write(spec, kModeNames[turn], inputs, answers[turn]);
  } else {
    for (int i = 0; i < 3; ++i) Write(spec, kModeNames[i], inputs, answers[i]);
  }
}

void AnswerTable::AddScalars(const OpSpec& spec, const std::vector<uint64_t>& values, bool preserve_only) {
  Inputs inputs;
  for (uint64_t value : values) inputs.push_back({value});
  Add(spec, inputs, preserve_only);
}

}  // namespace rewrought::known_answers
