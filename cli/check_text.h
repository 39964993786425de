// Formats a rule's verdict as text, with a counterexample.
#ifndef REWROUGHT_CLI_CHECK_TEXT_H_
#define REWROUGHT_CLI_CHECK_TEXT_H_

#include <set>
#include <string>

#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::cli {

// `rule` is the verified rule, with empty sides if it did not parse; its ops determine which values are floats.
// `place`, such as "rules.py:3", precedes the verdict unless it is empty. Adds the denormal modes of all cases to
// `modes`.
std::string CheckText(const v1::RuleVerdict& verdict, const ir::Rule& rule, const std::string& place,
                      std::set<v1::DenormMode>* modes);

// Returns "argument 2:1:5: error: …" and the rule's text.
std::string ErrorText(const v1::RuleVerdict& verdict, const std::string& name);

// Explains each mode in `modes`, one line per mode.
std::string ModeNotes(const std::set<v1::DenormMode>& modes);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_TEXT_H_
