#include "tools/driver_rig/runner/shader_file.h"

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace driver_rig {
namespace {

struct StageNames {
  Stage stage;
  const char* name;
  const char* section;
  std::vector<std::string> suffixes;
};

const std::vector<StageNames>& AllStages() {
  static const std::vector<StageNames> stages = {
      {Stage::kVertex, "vertex", "vertex shader", {"vert", "vs"}},
      {Stage::kTessControl, "tess_control", "tessellation control shader", {"tesc"}},
      {Stage::kTessEvaluation, "tess_evaluation", "tessellation evaluation shader", {"tese"}},
      {Stage::kGeometry, "geometry", "geometry shader", {"geom", "gs"}},
      {Stage::kFragment, "fragment", "fragment shader", {"frag", "fs", "ps"}},
      {Stage::kCompute, "compute", "compute shader", {"comp", "cs"}},
  };
  return stages;
}

// The shader for [vertex shader passthrough] in a .shader_test.
constexpr char kPassthrough[] =
    "#version 120\nattribute vec4 piglit_vertex;\nvoid main() { gl_Position = piglit_vertex; }\n";

struct Version {
  int number = 0;  // 0 without a #version line
  bool es = false;
  bool compatibility = false;
};

Version VersionOf(const std::string& text) {
  static const std::regex line(R"((?:^|\n)[ \t]*#[ \t]*version[ \t]+(\d+)[ \t]*(\w*))");
  std::smatch match;
  if (!std::regex_search(text, match, line)) return {};
  const int number = match[1].length() <= 4 ? std::stoi(match[1]) : 0;
  return {number, match[2] == "es" || number == 100, match[2] == "compatibility"};
}

}  // namespace

const char* NameOf(Stage stage) { return AllStages()[static_cast<size_t>(stage)].name; }

const char* NameOf(Api api) {
  switch (api) {
    case Api::kCore:
      return "core";
    case Api::kCompatibility:
      return "compatibility";
    case Api::kEs:
      return "es";
    case Api::kVulkan:
      return "vulkan";
  }
  return "";
}

std::string ParseShaderTest(const std::string& text, Program& program) {
  std::istringstream lines(text);
  std::string* section = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.starts_with('[')) {
      if (section != nullptr) *section += line + "\n";
      continue;
    }
    section = nullptr;
    const std::string name = line.substr(1, line.find(']') - 1);
    for (const StageNames& stage : AllStages()) {
      if (name == stage.section) section = &program[stage.stage];
      if (name == std::string(stage.section) + " passthrough") program[stage.stage] = kPassthrough;
    }
  }
  return program.empty() ? "no section such as [fragment shader]" : "";
}

std::string ReadProgram(const std::vector<std::string>& files, Program& program) {
  for (const std::string& path : files) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    if (!file) return path + ": cannot be read";
    const std::string suffix = path.substr(path.rfind('.') + 1);
    if (suffix == "shader_test") {
      const std::string error = ParseShaderTest(content.str(), program);
      if (!error.empty()) return path + ": " + error;
      continue;
    }
    const auto& stages = AllStages();
    const auto stage = std::find_if(stages.begin(), stages.end(), [&](const StageNames& names) {
      return std::find(names.suffixes.begin(), names.suffixes.end(), suffix) != names.suffixes.end();
    });
    if (stage == stages.end()) return path + ": no stage has the suffix '" + suffix + "'";
    if (!program.emplace(stage->stage, content.str()).second) return path + ": a second " + stage->name + " shader";
  }
  return "";
}

std::vector<Api> ApisFor(const Program& program) {
  Version highest;
  for (const auto& [stage, text] : program) {
    const Version version = VersionOf(text);
    if (version.es) return {Api::kEs, Api::kCompatibility, Api::kCore};
    highest.number = std::max(highest.number, version.number);
    highest.compatibility |= version.compatibility;
  }
  // GLSL 1.40 is the first version that removed the old built-ins, and the first that compatibility contexts may lack.
  if (highest.number >= 140 && !highest.compatibility) return {Api::kCore, Api::kCompatibility};
  if (highest.number > 0) return {Api::kCompatibility, Api::kCore};
  return {Api::kCompatibility, Api::kEs};
}

}  // namespace driver_rig
