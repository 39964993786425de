// Writes the packs of many programs, one for each machine that is named (none: for all), in the format given:
// FOLDER/<machine>/<files of the format>. Prints the machines, one on each line.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "emitter/formats.h"
#include "emitter/pack_files.h"
#include "emitter/testing/machine_rules.h"

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: print_machine_rules_main FORMAT FOLDER [MACHINE...]\n"), 2;
  const auto formats = rewrought::emitter::FindFormats({argv[1]});
  if (!formats.ok()) return std::fprintf(stderr, "%s\n", formats.status().ToString().c_str()), 2;
  const rewrought::emitter::Format& format = *formats->front();
  for (const rewrought::machine::Machine* machine : rewrought::machine::AllMachines()) {
    const bool wanted = argc == 3 || std::find(argv + 3, argv + argc, machine->id()) != argv + argc;
    if (!wanted) continue;
    const auto texts = format.write(rewrought::emitter::MachinePack(*machine), rewrought::emitter::NewestNirTarget());
    if (!texts.ok()) return std::fprintf(stderr, "%s\n", texts.status().ToString().c_str()), 1;
    std::vector<rewrought::emitter::NamedFile> files;
    for (size_t i = 0; i < texts->size(); ++i) files.emplace_back(format.files[i], (*texts)[i]);
    const absl::Status status = rewrought::emitter::WriteFiles(absl::StrCat(argv[2], "/", machine->id()), files);
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
    std::printf("%s\n", machine->id().c_str());
  }
  return 0;
}
