// Writes the MachinePack of each named machine, or of all machines, in the given format to FOLDER/<machine>/. Prints
// the machines, one per line.
#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "emitter/pack.h"
#include "emitter/pack_files.h"
#include "emitter/testing/machine_rules.h"

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: print_machine_rules_main FORMAT FOLDER [MACHINE...]\n"), 2;
  for (const rewrought::machine::Machine* machine : rewrought::machine::AllMachines()) {
    const bool wanted = argc == 3 || std::find(argv + 3, argv + argc, machine->id()) != argv + argc;
    if (!wanted) continue;
    rewrought::emitter::Pack pack;
    pack.message = rewrought::emitter::MachinePack(*machine);
    pack.message.mutable_manifest()->set_digest(rewrought::emitter::PackDigest(pack.message));
    pack.target = rewrought::emitter::DefaultNirTarget().name();
    const auto files = rewrought::emitter::RenderPack({argv[1]}, &pack);
    if (!files.ok()) return std::fprintf(stderr, "%s\n", files.status().ToString().c_str()), 1;
    const absl::Status status = rewrought::emitter::WriteFiles(absl::StrCat(argv[2], "/", machine->id()), *files);
    if (!status.ok()) return std::fprintf(stderr, "%s\n", status.ToString().c_str()), 1;
    std::printf("%s\n", machine->id().c_str());
  }
  return 0;
}
