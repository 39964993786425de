// A pack's proofs as files that anybody's solver answers: SMT-LIB 2.6 with the expected answer, and a script that asks
// and compares. The questions are stated from the rules' texts, not copied out of the pack.
#ifndef REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_
#define REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "emitter/pack_files.h"
#include "proto/rewrought/v1/pack.pb.h"

namespace rewrought::pipeline {

// For each proved case "<first 12 digits of the rule's id>-<mode>.smt2", or "...-part<n>.smt2" for each part of a case
// that was split, whose answer must be unsat; where a case has preconditions also "...-inputs.smt2", whose answer must
// be sat, so that the proof is of something. check.sh and README.txt, which names the cases that no query decided (by
// construction, by trying all inputs, over the reals). Errors name the entry by number and id: those of its texts and
// certificates; InvalidArgument where its id is no digest, or where two entries or two proofs would have the same
// files.
absl::StatusOr<std::vector<emitter::NamedFile>> CertificateFiles(const v1::Pack& pack);

}  // namespace rewrought::pipeline

#endif  // REWROUGHT_PIPELINE_EVIDENCE_CERTIFICATE_FILES_H_
