#include "tools/driver_rig/runner/nir_states.h"

#include <algorithm>
#include <cctype>

namespace driver_rig {
namespace {

constexpr std::string_view kHeader = "shader: MESA_SHADER_";

std::vector<std::string> SplitAt(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Returns whether the line consists of a pass name. The other lines of the output are indented or contain spaces or
// punctuation.
bool IsPassName(std::string_view line) {
  return line.size() > 3 && line.find('_') != std::string_view::npos &&
         std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// The state of one stage while the output is parsed.
struct StageState {
  std::string_view shader;  // as last printed
  std::string_view found;
  bool done = false;
};

}  // namespace

bool ParsePlace(std::string_view text, Place& place) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  place.name = std::string(text.substr(0, equals));
  if (place.name.find_first_of("/.") != std::string::npos) return false;
  const std::vector<std::string> parts = SplitAt(text.substr(equals + 1), ':');
  if (parts == std::vector<std::string>{"end"}) {
    place.when = Place::When::kEnd;
    return true;
  }
  if (parts.size() < 2 || parts[1].empty()) return false;
  place.pass = parts[1];
  if (parts[0] == "first" && parts.size() == 2) {
    place.when = Place::When::kBeforeFirst;
    return true;
  }
  if (parts[0] != "last" || parts.size() > 3) return false;
  place.when = Place::When::kBeforeLast;
  if (parts.size() == 3) place.until = SplitAt(parts[2], ',');
  return true;
}

std::map<std::string, std::string> FindStates(std::string_view output, const Place& place) {
  std::map<std::string, StageState> stages;
  StageState* current = nullptr;
  size_t shader_start = std::string_view::npos;
  const auto end_shader = [&](size_t end) {
    if (shader_start == std::string_view::npos) return;
    current->shader = output.substr(shader_start, end - shader_start);
    shader_start = std::string_view::npos;
  };
  for (size_t at = 0; at < output.size();) {
    const size_t end = std::min(output.find('\n', at), output.size());
    const std::string_view line = output.substr(at, end - at);
    if (line.starts_with(kHeader)) {
      end_shader(at);
      std::string stage(line.substr(kHeader.size()));
      for (char& c : stage) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      current = &stages[stage];
      shader_start = at;
    } else if (IsPassName(line)) {
      end_shader(at);
      if (current != nullptr && !current->done && place.when != Place::When::kEnd) {
        if (line == place.pass) {
          current->found = current->shader;
          current->done = place.when == Place::When::kBeforeFirst;
        } else if (!current->found.empty() &&
                   std::find(place.until.begin(), place.until.end(), line) != place.until.end()) {
          current->done = true;
        }
      }
    }
    at = end + 1;
  }
  end_shader(output.size());
  std::map<std::string, std::string> found;
  for (const auto& [stage, state] : stages) {
    const std::string_view text = place.when == Place::When::kEnd ? state.shader : state.found;
    if (!text.empty()) found.emplace(stage, text);
  }
  return found;
}

}  // namespace driver_rig
