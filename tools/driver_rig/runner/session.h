// The code that the runners share: the lines that they read and write, the NIR that drivers print, and the applied
// rules of a trial. A runner consists of a Compiler and a main that calls Serve; session.cc describes the lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/driver_rig/runner/shader_file.h"

namespace driver_rig {

// The result of one compilation.
struct Outcome {
  std::string error;                  // empty if the program compiled and linked
  std::vector<std::string> messages;  // from the driver's compiler, in order
};

// A driver, used through one of its APIs.
class Compiler {
 public:
  virtual ~Compiler() = default;

  // Starts the driver. Returns "", or the reason if the driver does not start.
  virtual std::string Open() = 0;

  // Returns the name by which the driver identifies itself.
  virtual std::string Description() = 0;

  // Reads the files of one program. Returns "", or an error that contains the file's name.
  virtual std::string Read(const std::vector<std::string>& files, Program& program) = 0;

  // Returns the kinds of contexts to try, the most promising ones first.
  virtual std::vector<Api> ApisFor(const Program& program) = 0;

  // Returns whether this stage of a program should also be compiled without the other stages.
  virtual bool StandsAlone(Stage stage) = 0;

  // Compiles the program's stages together, or one stage without its neighbors if `alone` is set. Returns no value if
  // the driver does not support the API.
  virtual std::optional<Outcome> Compile(const Program& program, Api api, bool alone) = 0;
};

// Processes standard input until its end, and exits the process. If the driver does not start, prints the reason to
// standard error and returns an exit status.
int Serve(Compiler& compiler);

}  // namespace driver_rig
