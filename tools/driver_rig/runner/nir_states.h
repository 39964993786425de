// Finds, in what NIR_DEBUG=print writes while a driver compiles, the shader as it stood at named places: before the
// first or the last call of a pass, or at the end. A pass's name stands on a line of its own before it runs, the shader
// follows if the pass changed it (Mesa 25.0.7, src/compiler/nir/nir.h, NIR_PASS).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace driver_rig {

struct Place {
  std::string name;  // names the folder of what is found here
  enum class When { kBeforeFirst, kBeforeLast, kEnd } when = When::kEnd;
  std::string pass;                // none for kEnd
  std::vector<std::string> until;  // the first call of one of these ends the search (kBeforeLast)
};

// "name=first:pass", "name=last:pass[:until,until...]" or "name=end". False for any other text.
bool ParsePlace(std::string_view text, Place& place);

// For each stage in the output ("fragment", as the header "shader: MESA_SHADER_FRAGMENT" says), the text at the place,
// of the stage's first variant for kBeforeFirst, of its last otherwise. A stage without such a call has no entry.
std::map<std::string, std::string> FindStates(std::string_view output, const Place& place);

}  // namespace driver_rig
