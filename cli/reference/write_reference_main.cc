// Writes the manual pages and shell completions of `rewrought` to a folder, with the paths that they have below the
// share folder of an installation. All texts are derived from the program's options.
//
// usage: write_reference FOLDER
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "cli/command.h"
#include "cli/commands/registry.h"
#include "cli/reference/command_tree.h"
#include "cli/reference/completion.h"
#include "cli/reference/man_page.h"
#include "proto/version.h"

namespace {

// Writes a file and the folders above it. Ends the program if this fails.
void Write(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return;
  std::cerr << "write_reference: " << path.string() << " cannot be written; check the folder and the free space\n";
  exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::cerr << "usage: write_reference FOLDER\nexample: write_reference out/share\n";
    return 2;
  }
  // Some defaults contain this folder; show its name instead of the path on this machine.
  setenv("XDG_DATA_HOME", "$XDG_DATA_HOME", 1);
  const auto app = rewrought::cli::MakeProgram(rewrought::cli::ProgramContext());
  const rewrought::cli::ReferenceCommand program = rewrought::cli::ReadCommands(*app);
  const std::filesystem::path folder = argv[1];
  const std::string source = absl::StrCat("rewrought ", rewrought::kVersion);
  for (const rewrought::cli::ReferenceCommand* command : rewrought::cli::AllCommands(program)) {
    Write(folder / "man/man1" / (rewrought::cli::ManPageName(*command) + ".1"),
          rewrought::cli::ManPage(*command, source, rewrought::kVersionDate));
  }
  Write(folder / "bash-completion/completions/rewrought", rewrought::cli::BashCompletion(program));
  Write(folder / "zsh/vendor-completions/_rewrought", rewrought::cli::ZshCompletion(program));
  return 0;
}
