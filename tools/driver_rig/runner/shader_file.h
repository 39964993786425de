// What the runner takes from shader files: the stages of a program, from single GLSL files or from one .shader_test
// (sections in brackets, as piglit's shader_runner defines them), and the kinds of GL context to try for a text.
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

// Reads the files of one program into it: one .shader_test, or GLSL files that name their stage by their suffix (.vert,
// .tesc, .tese, .geom, .frag, .comp, or two letters: vs, fs, ...). Returns "" or what is wrong, with the file's name.
std::string ReadProgram(const std::vector<std::string>& files, Program& program);

// The stages of a .shader_test's text; others of its sections say nothing about compiling. Returns "" or what is wrong.
std::string ParseShaderTest(const std::string& text, Program& program);

// In the order in which they are worth trying, by the #version lines of the program.
std::vector<Api> ApisFor(const Program& program);

}  // namespace driver_rig
