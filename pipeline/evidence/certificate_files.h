// Creates SMT-LIB 2.6 files with which any solver can check a pack's proofs. The files contain the expected answers,
// which a script compares with the solver's answers. The queries are derived from the text of the rules, not copied
// from the pack.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_
#define REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "emitter/pack_files.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::pipeline {

// Returns one file per proved case, "<first 12 digits of the rule's id>-<mode>.smt2", or one file "...-part<n>.smt2"
// per part of a split case; their expected answer is unsat. A case with preconditions also gets a file
// "...-inputs.smt2", whose expected answer sat shows that the proof is not vacuous. Also returns check.sh and
// README.txt, which lists the cases decided without a query (by construction, by trying all inputs, or over the reals).
// Fails if an entry's text or certificate is invalid. Returns InvalidArgument if an entry's id is not a digest or if
// two entries or two proofs would have the same file names. Errors name the entry by number and id.
absl::StatusOr<std::vector<emitter::NamedFile>> CertificateFiles(const v1::Pack& pack);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_
