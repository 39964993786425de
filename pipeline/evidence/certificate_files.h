// Writes a pack's proofs as SMT-LIB 2.6 files that any solver can check, with the expected answers and a script that
// compares them. The queries are derived from the rules' texts, not copied from the pack.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_
#define REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "emitter/pack_files.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::pipeline {

// Returns one file per proved case, "<first 12 digits of the rule's id>-<mode>.smt2", or "...-part<n>.smt2" for each
// part of a split case, with expected answer unsat. A case with preconditions also gets "...-inputs.smt2" with
// expected answer sat, which shows that the proof is not vacuous. Also returns check.sh and README.txt, which lists
// the cases decided without a query (by construction, by trying all inputs, or over the reals). Errors name the entry
// by number and id. They are those of its texts and certificates, and InvalidArgument if its id is not a digest or if
// two entries or two proofs would have the same file names.
absl::StatusOr<std::vector<emitter::NamedFile>> CertificateFiles(const v1::Pack& pack);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_
