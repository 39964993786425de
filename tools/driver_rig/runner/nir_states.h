// Extracts the state of the shader at named places from the output of NIR_DEBUG=print: before the first or the last
// call to a pass, or at the end. The output contains the name of each pass on a separate line before the pass runs,
// followed by the shader if the pass changed it (Mesa 25.0.7, src/compiler/nir/nir.h, NIR_PASS).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace driver_rig {

struct Place {
  std::string name;  // the folder of the extracted shaders
  enum class When { kBeforeFirst, kBeforeLast, kEnd } when = When::kEnd;
  std::string pass;                // empty for kEnd
  std::vector<std::string> until;  // kBeforeLast stops at the first call of one of these
};

// Parses "name=first:pass", "name=last:pass[:until,until...]" or "name=end". Returns false for any other text.
bool ParsePlace(std::string_view text, Place& place);

// Maps each stage in the output ("fragment", from the header "shader: MESA_SHADER_FRAGMENT") to the shader text at the
// place. The text is from the stage's first variant for kBeforeFirst, otherwise from its last variant. A stage whose
// output never reaches the place has no entry.
std::map<std::string, std::string> FindStates(std::string_view output, const Place& place);

}  // namespace driver_rig
