#include "pipeline/evidence/certificate_files.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/digest.h"
#include "machine/candidate.h"
#include "pipeline/rule_record.h"
#include "proto/names.h"
#include "verifier/case_split.h"
#include "verifier/certificate.h"
#include "verifier/mesa/coincidence.h"
#include "verifier/mesa/mesa_reading.h"
#include "verifier/message/verdict_message.h"
#include "verifier/query.h"
#include "verifier/rule_case.h"

namespace rewrought::pipeline {
namespace {

constexpr char kScript[] = R"sh(#!/bin/sh
# Runs a solver on every query in this folder and compares its answers with the expected ones.
# usage: sh check.sh [SOLVER [ARGUMENT]...]        default: cvc5
#   sh check.sh z3 -T:60
#   sh check.sh cvc5 --tlimit=60000
#   sh check.sh cvc5 --check-proofs                cvc5 builds a proof of each unsat answer and checks it
# Exit code: 0 all as expected, 1 an answer differs, 3 no answer differs but some queries were not decided.
cd "$(dirname "$0")" || exit 2
[ $# -gt 0 ] || set -- cvc5
command -v "$1" >/dev/null || { echo "check.sh: no solver $1" >&2; exit 2; }
same=0 other=0 open=0
for file in *.smt2; do
  [ -e "$file" ] || continue
  expected=$(sed -n 's/^(set-info :status \(.*\))$/\1/p' "$file")
  answer=$("$@" "$file" 2>&1 | grep -E '^(sat|unsat)$' | head -n 1)
  case "$answer" in
    "$expected") same=$((same + 1)) ;;
    "") open=$((open + 1)); echo "$file: not decided" ;;
    *) other=$((other + 1)); echo "$file: $answer, expected $expected" ;;
  esac
done
echo "$same as expected, $other unexpected, $open not decided, by $*"
[ $other -eq 0 ] || exit 1
[ $open -eq 0 ] || exit 3
)sh";

constexpr char kReadme[] =
    "Each .smt2 file here is one case of a rule in one denormal mode. It asks whether some input makes the\n"
    "replacement produce a result that the search side does not allow; the answer unsat is the proof. A file\n"
    "...-inputs.smt2 asks whether any input meets the rule's preconditions; the expected answer is sat.\n"
    "Run: sh check.sh SOLVER [ARGUMENT]...\n"
    "\nCases decided without a solver, which have no file:\n";

// Replaces unprintable characters, such as line breaks, with spaces, because the text becomes a comment line.
std::string OneLine(std::string text) {
  for (char& c : text) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = ' ';
  }
  return text;
}

class FileMaker {
 public:
  absl::Status Add(const v1::PackEntry& entry) {
    const v1::RewriteRule& rule = entry.rule();
    // Check the id, after which the files are named, because the pack is not trusted.
    const absl::StatusOr<ir::Digest> id = ir::Digest::FromHex(rule.id());
    if (!id.ok()) return absl::InvalidArgumentError("its id, which names its files, is not 64 hex digits");
    const std::string digits = id->hex().substr(0, 12);
    if (!taken_.insert(digits).second)
      return absl::InvalidArgumentError("another entry's id begins with the same 12 digits, which name its files");
    const absl::StatusOr<machine::Candidate> candidate =
        CandidateOfTexts(rule.machine(), rule.search(), rule.replace(), rule.program());
    if (!candidate.ok()) return candidate.status();
    const absl::StatusOr<ir::Term> replace = machine::ReplacementTerm(*candidate);
    if (!replace.ok()) return replace.status();
    for (const v1::CaseVerdict& proof : entry.proofs()) {
      if (proof.verdict() != v1::VERDICT_PROVED) continue;
      const std::optional<ir::DenormMode> mode = verifier::ModeOf(proof.mode());
      if (!mode.has_value()) return absl::InvalidArgumentError("a proof has no denormal mode");
      absl::StatusOr<verifier::Certificate> way = verifier::RecipeOf(proof.certificate());
      if (!way.ok()) return way.status();
      const std::string name = absl::StrCat(digits, "-", std::string(v1::NameOf(proof.mode())));
      if (!taken_.insert(name).second)
        return absl::InvalidArgumentError(absl::StrCat("two proofs in mode ", std::string(v1::NameOf(proof.mode()))));
      about_ = OneLine(absl::StrCat(machine::CandidateText(*candidate), ", ", rule.machine(),
                                    ", denormals: ", std::string(v1::NameOf(proof.mode()))));
      verifier::RuleCase rule_case = verifier::CaseAsMesa(candidate->search, *replace);
      rule_case.mode = *mode;
      if (absl::Status added = AddCase(rule_case, *way, name); !added.ok()) return added;
    }
    if (rule.rule_class() == v1::RULE_CLASS_INEXACT)
      absl::StrAppend(&readme_, "  ", digits, ": over the reals: ", OneLine(rule.inexact().reason()), "\n");
    return absl::OkStatus();
  }

  std::vector<emitter::NamedFile> Take() && {
    files_.emplace_back("README.txt", std::move(readme_));
    files_.emplace_back("check.sh", kScript);
    return std::move(files_);
  }

 private:
  absl::Status AddCase(const verifier::RuleCase& rule_case, const verifier::Certificate& way, const std::string& name) {
    if (way.kind == v1::TIER_CASE_SPLIT) {
      const std::vector<verifier::CasePart> parts = verifier::PartsOf(rule_case);
      if (parts.size() != way.parts.size())
        return absl::InvalidArgumentError("the certificate's parts do not match the case's");
      for (size_t i = 0; i < parts.size(); ++i) {
        if (way.parts[i].certificate.kind == v1::TIER_UNSPECIFIED) continue;  // no input satisfies its preconditions
        const absl::Status added =
            AddCase(parts[i].rule_case, way.parts[i].certificate, absl::StrCat(name, "-part", i));
        if (!added.ok()) return added;
      }
      return absl::OkStatus();
    }
    if (absl::Status added = AddCoincidences(rule_case, way, name); !added.ok()) return added;
    return AddProof(rule_case, way, name);
  }

  // Adds the query of an unsplit case, or explains in README.txt why the case has no query.
  absl::Status AddProof(const verifier::RuleCase& rule_case, const verifier::Certificate& way,
                        const std::string& name) {
    if (way.kind == v1::TIER_CANONICAL || way.kind == v1::TIER_EXHAUSTIVE) {
      absl::StrAppend(&readme_, "  ", name, ": ",
                      way.kind == v1::TIER_CANONICAL ? "both sides are lowered to the same values or polynomials"
                                                     : "all inputs tried",
                      "\n");
      return absl::OkStatus();
    }
    const absl::StatusOr<verifier::Query> query = verifier::RestateQuery(rule_case, way.copies, way.kind);
    if (!query.ok()) return query.status();
    AddFile(absl::StrCat(name, ".smt2"), "unsat", query->text);
    return AddInputs(rule_case, name);
  }

  // Adds the proof of each case in which several nodes of the search side match the same instruction.
  absl::Status AddCoincidences(const verifier::RuleCase& rule_case, const verifier::Certificate& way,
                               const std::string& name) {
    const absl::StatusOr<std::vector<verifier::CoincidingCase>> cases = verifier::CoincidingCases(rule_case);
    if (!cases.ok()) return cases.status();
    if (cases->size() != way.coinciding.size())
      return absl::InvalidArgumentError("the certificate's coincidences do not match the case's");
    for (size_t i = 0; i < cases->size(); ++i) {
      if (way.coinciding[i].kind == v1::TIER_UNSPECIFIED) continue;  // no input satisfies its preconditions
      const absl::Status added =
          AddProof((*cases)[i].rule_case, way.coinciding[i], absl::StrCat(name, "-coinciding", i));
      if (!added.ok()) return added;
    }
    return absl::OkStatus();
  }

  absl::Status AddInputs(const verifier::RuleCase& rule_case, const std::string& name) {
    const absl::StatusOr<std::unique_ptr<verifier::PreparedCase>> prepared = verifier::PreparedCase::Create(rule_case);
    if (!prepared.ok()) return prepared.status();
    const ir::Value& assumption = (*prepared)->dag().at((*prepared)->assumption());
    if (assumption.primitive == ir::Primitive::kLiteral && assumption.immediate == 1) return absl::OkStatus();
    AddFile(absl::StrCat(name, "-inputs.smt2"), "sat", verifier::StateAdmission(**prepared).text);
    return absl::OkStatus();
  }

  void AddFile(const std::string& name, absl::string_view answer, absl::string_view query) {
    files_.emplace_back(name, absl::StrCat("; ", about_, "\n(set-info :smt-lib-version 2.6)\n(set-info :status ",
                                           answer, ")\n", query, "\n(check-sat)\n"));
  }

  std::set<std::string> taken_;  // the prefixes of file names in use
  std::string about_;
  std::string readme_ = kReadme;
  std::vector<emitter::NamedFile> files_;
};

}  // namespace

absl::StatusOr<std::vector<emitter::NamedFile>> CertificateFiles(const v1::Pack& pack) {
  FileMaker maker;
  for (int i = 0; i < pack.entries_size(); ++i) {
    if (absl::Status added = maker.Add(pack.entries(i)); !added.ok()) {
      return absl::Status(added.code(),
                          absl::StrCat("entry ", i + 1, ", \"", absl::CHexEscape(pack.entries(i).rule().id()),
                                       "\": ", added.message()));
    }
  }
  return std::move(maker).Take();
}

}  // namespace rewrought::pipeline
