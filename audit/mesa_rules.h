// Reads the rules of a Mesa tree after Mesa's Python code has expanded them, each with its source position.
#ifndef REWROUGHT_AUDIT_MESA_RULES_H_
#define REWROUGHT_AUDIT_MESA_RULES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/dialect/dialect.h"

namespace rewrought::audit {

struct MesaRule {
  std::string file;  // The path as passed, or relative to the tree's src: "compiler/nir/nir_opt_algebraic.py".
  int line = 0;      // The line of the rule's tuple, or of the call that created it; 0 if unknown.
  std::string pass;
  int index = 0;                           // The position in the pass, in matching order.
  std::string search, replace, condition;  // Tuples; the condition is C text, or "" if there is none.
  std::string test_status;                 // "PASS", "XFAIL", or "UNSUPPORTED" in Mesa 26, or "" if there is none.
  std::string reason;                      // Why the importer cannot represent the rule; empty if it can.
  // Returns "(search, replace)".
  std::string Text() const;
  // Returns an id that does not depend on the rule's line or tree: 12 hex digits of a digest of the search side, the
  // replacement, and the condition.
  std::string Id() const;
};

// A file whose rules could not be read, or could be read only in part.
struct UnreadableFile {
  std::string file;
  int line = 0;  // 0 if unknown
  std::string reason;
};

// The sizes in bits that the tree fixes for the sources of each opcode, or 0 for a source whose size is not fixed.
using SourceSizes = std::map<std::string, std::vector<int>>;

struct MesaRules {
  std::vector<MesaRule> rules;                // By file in the requested order, then by position in the file.
  SourceSizes source_sizes;                   // For the opcodes that fix a size.
  ir::Dialect dialect = ir::Dialect::kNir25;  // The dialect of the tree's opcodes.
  std::vector<UnreadableFile> unreadable;
};

// Reads the rule files in `paths`. A folder src/compiler/nir denotes its nir_opt_algebraic.py. The first folder
// provides nir_algebraic.py and nir_opcodes.py for all files; if there is no folder, the src/compiler/nir above the
// first file provides them. If `back_ends`, also reads every file in the folder's tree that imports nir_algebraic.
// Executes the files with python3 and no limit other than 120 s per file, so the tree must be trusted. Lists files that
// fail in `unreadable`. Returns NotFound, with the remedy, if a path is neither such a folder nor a file, or if python3
// is missing.
absl::StatusOr<MesaRules> ReadMesaRules(const std::vector<std::string>& paths, bool back_ends);

// Returns the folder src/compiler/nir of the tree that contains the file `path`, or "" if there is none.
std::string NirFolderOf(const std::string& path);

// Reads the rules of one rule file like ReadMesaRules, but executes `text` instead of the text of the file, which may
// have unsaved changes. Stops after `seconds`. Returns NotFound if NirFolderOf(path) is empty or python3 is missing.
absl::StatusOr<MesaRules> ReadUnsavedRules(const std::string& path, const std::string& text, double seconds);

}  // namespace rewrought::audit

#endif  // REWROUGHT_AUDIT_MESA_RULES_H_
