// The rules of a Mesa tree as they are after Python has expanded them, each with its place.
#ifndef REWROUGHT_AUDIT_MESA_RULES_H_
#define REWROUGHT_AUDIT_MESA_RULES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace rewrought::audit {

struct MesaRule {
  std::string file;  // below the tree's src, as "compiler/nir/nir_opt_algebraic.py"; else as given
  int line = 0;      // of the rule's tuple, or of the call that made it; 0: not known
  std::string pass;
  int index = 0;                           // in the pass, in the order in which its rules are tried
  std::string search, replace, condition;  // as tuples; C text, "" for always
  std::string reason;                      // not empty: the importer cannot hand the rule over
  // "(search, replace)".
  std::string Text() const;
  // Names the rule across lines and trees: 12 hex digits of a digest of search, replace and condition.
  std::string Id() const;
};

// A file whose rules, or some of them, could not be read.
struct UnreadableFile {
  std::string file;
  int line = 0;  // 0: not known
  std::string reason;
};

// The sizes in bits of an opcode's sources, where the tree fixes them; 0 where it does not.
using SourceSizes = std::map<std::string, std::vector<int>>;

struct MesaRules {
  std::vector<MesaRule> rules;  // by file in the order asked for, then as in the file
  SourceSizes source_sizes;     // of the tree's opcodes that fix some
  std::vector<UnreadableFile> unreadable;
};

// Reads the rule files that `paths` name: a folder src/compiler/nir stands for its nir_opt_algebraic.py, a file for
// itself. The first folder gives nir_algebraic.py and nir_opcodes.py for all; a file alone looks for src/compiler/nir
// above it. With `back_ends` also every file of the folder's tree that imports nir_algebraic. The files are Python
// programs and are executed (python3, no time limit but 120 s per file), so the tree must be trusted. A file that fails
// is in `unreadable`. Errors: NotFound for a path that is none of these and where python3 is missing, with the remedy.
absl::StatusOr<MesaRules> ReadMesaRules(const std::vector<std::string>& paths, bool back_ends);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_MESA_RULES_H_
