// The commands of `rewrought`, in the order of --help. A new command is a file in cli/commands/ and a line here.
#ifndef REWROUGHT_CLI_COMMANDS_REGISTRY_H_
#define REWROUGHT_CLI_COMMANDS_REGISTRY_H_

#include "cli/command.h"

// X(function, group, name, what it is for)
#define REWROUGHT_COMMANDS(X)                                                                                          \
  X(Check, "Check", "check", "Is this rewrite right? Proves or refutes rules; a refuted one with a witness")           \
  X(Eval, "Check", "eval", "What may a term or a machine program give on these inputs?")                               \
  X(Audit, "Check", "audit", "Is what a driver tree ships right? Checks every rule of Mesa's rule files")              \
  X(Improve, "Discover", "improve", "The best code for an expression on a machine, proved, as it is found")            \
  X(Harvest, "Discover", "harvest", "Reads shaders into a database: SPIR-V, GLSL, .shader_test, NIR text")             \
  X(Discover, "Discover", "discover", "Finds cheaper programs for what harvested shaders compute; proves them")        \
  X(Enumerate, "Discover", "enumerate", "Finds all rules of a set of ops up to a size, without shaders")               \
  X(Rank, "Discover", "rank", "The rules found for a machine, best first, with the cycles they save")                  \
  X(Show, "Discover", "show", "All there is to one rule: proofs, confirmations, savings")                              \
  X(Report, "Discover", "report", "What was found for a machine, as text or as one HTML file")                         \
  X(Select, "Discover", "select", "Compiles whole shaders for a machine and says what they cost there")                \
  X(Merge, "Discover", "merge", "Adds what other databases hold; again, and in any order, gives the same")             \
  X(Rediscover, "Discover", "rediscover", "Which of a driver tree's rules discovery found again, and which it missed") \
  X(Nightly, "Discover", "nightly", "Harvest, discover, export and compare with the last night, in one run")           \
  X(Trial, "Discover", "trial", "Tries rules on real compilers, and keeps what they gain there")                       \
  X(Export, "Packs", "export", "Writes a machine's pack: rules that a driver tree takes as they are")                  \
  X(Pack, "Packs", "pack", "Verifies a pack, compares two, writes a pack's files again")                               \
  X(Db, "Service", "db", "Checks, compacts, backs up and restores a database")                                         \
  X(Serve, "Service", "serve", "Answers over gRPC and HTTP, with a web UI; for this machine only unless told")         \
  X(Ops, "Look up", "ops", "The ops that rules may use: types, sizes, properties, meaning, sources")                   \
  X(Machines, "Look up", "machines", "The machines: instructions, modifiers, costs, and where each is from")

namespace rewrought::cli {

// Each adds its options, examples and callback to `command`; the callback leaves its exit code in `context`.
#define REWROUGHT_DECLARE(Function, group, name, help) void Add##Function##Command(CLI::App* command, Context* context);
REWROUGHT_COMMANDS(REWROUGHT_DECLARE)
#undef REWROUGHT_DECLARE

// `pack together`, which has a file of its own.
void AddPackTogether(CLI::App* pack, Context* context);

// The whole command line.
void AddCommands(CLI::App* app, Context* context);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_COMMANDS_REGISTRY_H_
