// Reads the stages of a program from GLSL files or from a .shader_test (with sections in brackets, as in piglit's
// shader_runner), and determines which kinds of GL context to try for a given source.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace driver_rig {

enum class Stage { kVertex, kTessControl, kTessEvaluation, kGeometry, kFragment, kCompute };
enum class Api { kCore, kCompatibility, kEs, kVulkan };

const char* NameOf(Stage stage);
const char* NameOf(Api api);

// The source text of each stage of one program.
using Program = std::map<Stage, std::string>;

// Reads the files of one program: one .shader_test, or GLSL files whose suffixes name their stages (.vert, .tesc,
// .tese, .geom, .frag, .comp, or two letters: vs, fs, ...). Returns "", or an error that contains the file's name.
std::string ReadProgram(const std::vector<std::string>& files, Program& program);

// Reads the stages of a .shader_test's text and ignores its other sections. Returns "" or the error.
std::string ParseShaderTest(const std::string& text, Program& program);

// Returns the kinds of context to try for the program's #version lines, the most promising ones first.
std::vector<Api> ApisFor(const Program& program);

}  // namespace driver_rig
