// Lists the commands of `rewrought` in the order of the --help text. To add a command, add a file to cli/commands/ and
// a line to REWROUGHT_COMMANDS.
#ifndef REWROUGHT_CLI_COMMANDS_REGISTRY_H_
#define REWROUGHT_CLI_COMMANDS_REGISTRY_H_

#include <memory>

#include "cli/command.h"

// Each command has an entry X(function, group, name, description).
#define REWROUGHT_COMMANDS(X)                                                                                       \
  X(Check, "Check", "check", "Proves or refutes rules, with a counterexample for each refuted rule")                \
  X(Eval, "Check", "eval", "Prints the results that a term or a machine program may have on given inputs")          \
  X(Generalize, "Check", "generalize",                                                                              \
    "Finds the general form of special rules, and the other rules of their families")                               \
  X(Audit, "Check", "audit", "Checks every rule in the rule files of a Mesa tree")                                  \
  X(Lsp, "Check", "lsp", "Serves editors: verdicts, hovers, and edits for rule files (Language Server Protocol)")   \
  X(Improve, "Discover", "improve", "Searches for the best proved code for an expression on a machine")             \
  X(Harvest, "Discover", "harvest", "Reads shaders into a database: SPIR-V, GLSL, .shader_test, NIR text")          \
  X(Discover, "Discover", "discover", "Finds and proves cheaper programs for the expressions in harvested shaders") \
  X(Enumerate, "Discover", "enumerate", "Finds all rules over a set of ops up to a given size, without shaders")    \
  X(Rank, "Discover", "rank", "Lists the rules found for a machine, best first, with the cycles they save")         \
  X(Show, "Discover", "show", "Shows one rule with its proofs, confirmations and savings")                          \
  X(Report, "Discover", "report", "Reports the results for a machine, as text or as one HTML file")                 \
  X(Select, "Discover", "select", "Compiles whole shaders for a machine and prints their cost")                     \
  X(Merge, "Discover", "merge", "Merges other databases; repeating or reordering merges gives the same result")     \
  X(Rediscover, "Discover", "rediscover", "Reports which of a driver tree's rules discovery found again or missed") \
  X(Nightly, "Discover", "nightly", "Harvests, discovers, exports and compares with the last night, in one run")    \
  X(Trial, "Discover", "trial", "Tries rules on real compilers and stores the gains")                               \
  X(Export, "Packs", "export", "Writes a machine's rules as a pack for driver trees")                               \
  X(Families, "Packs", "families", "Groups discovered rules into families of general rules")                        \
  X(Propose, "Packs", "propose", "Writes patches for a Mesa tree that correct its rules or add rules")              \
  X(Pack, "Packs", "pack", "Verifies a pack, compares two packs, or writes a pack's files again")                   \
  X(Db, "Service", "db", "Checks, compacts, backs up and restores a database")                                      \
  X(Serve, "Service", "serve", "Serves gRPC and HTTP, with a web UI; by default only to this machine")              \
  X(Ops, "Look up", "ops", "Lists the ops that rules may use: types, sizes, properties, meaning, sources")          \
  X(Machines, "Look up", "machines", "Lists the machines: instructions, modifiers, costs, and their sources")

namespace rewrought::cli {

// Each function adds options, examples, and a callback to `command`. The callback stores its exit code in `context`.
#define REWROUGHT_DECLARE(Function, group, name, help) void Add##Function##Command(CLI::App* command, Context* context);
REWROUGHT_COMMANDS(REWROUGHT_DECLARE)
#undef REWROUGHT_DECLARE

// Adds the subcommand `pack together`, which pack_together.cc implements.
void AddPackTogether(CLI::App* pack, Context* context);

// Returns the program's options and all its commands, which keep pointers to `context`. Call this function once in a
// process, because the commands store their options in static variables.
std::unique_ptr<CLI::App> MakeProgram(Context* context);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_COMMANDS_REGISTRY_H_
