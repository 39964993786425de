// What the rig's runners share: the lines that they read and write, the NIR that drivers print, and the rules of a
// trial that were applied. A runner is a Compiler and a main that serves it; session.cc describes the lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/driver_rig/runner/shader_file.h"

namespace driver_rig {

// What became of one compilation.
struct Outcome {
  std::string error;                  // empty if it compiled and linked
  std::vector<std::string> messages;  // of the driver's compiler, in order
};

// A driver behind one of its interfaces.
class Compiler {
 public:
  virtual ~Compiler() = default;

  // Returns "" or why the driver does not start.
  virtual std::string Open() = 0;

  // The driver's own name for itself.
  virtual std::string Description() = 0;

  // Reads the files of one program into it. Returns "" or what is wrong, with the file's name.
  virtual std::string Read(const std::vector<std::string>& files, Program& program) = 0;

  // In the order in which they are worth trying.
  virtual std::vector<Api> ApisFor(const Program& program) = 0;

  // Whether the stage of a program of several is also worth compiling without its neighbours.
  virtual bool StandsAlone(Stage stage) = 0;

  // Compiles the program's stages together; alone: one stage without its neighbours. No value: the driver has no such
  // interface.
  virtual std::optional<Outcome> Compile(const Program& program, Api api, bool alone) = 0;
};

// Answers standard input until it ends, and leaves. Returns only if the driver does not start: an exit status, the
// reason on standard error.
int Serve(Compiler& compiler);

}  // namespace driver_rig
