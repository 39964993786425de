// Formats a rule's verdict as text, including a counterexample if the rule is refuted.
#ifndef REWROUGHT_CLI_CHECK_TEXT_H_
#define REWROUGHT_CLI_CHECK_TEXT_H_

#include <set>
#include <string>

#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::cli {

// Returns the verdict as multiline text. `rule` is the verified rule, or a rule with empty sides if the text did not
// parse. The rule's ops determine which values are printed as floats. `place`, such as "rules.py:3", precedes the
// verdict unless it is empty. Adds the denormal modes of all cases to `modes`.
std::string CheckText(const v1::RuleVerdict& verdict, const ir::Rule& rule, const std::string& place,
                      std::set<v1::DenormMode>* modes);

// Returns a line such as "argument 2:1:5: error: …" and a line with the rule's text.
std::string ErrorText(const v1::RuleVerdict& verdict, const std::string& name);

// Returns one line of explanation for each mode in `modes`.
std::string ModeNotes(const std::set<v1::DenormMode>& modes);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_TEXT_H_
