// A rule's verdict as lines for people: what was decided at which sizes, and a counterexample with its numbers.
#ifndef REWROUGHT_CLI_CHECK_TEXT_H_
#define REWROUGHT_CLI_CHECK_TEXT_H_

#include <set>
#include <string>

#include "ir/term.h"
#include "proto/rewrought/v1/proof.pb.h"

namespace rewrought::cli {

// `rule`: what was verified (empty sides if it did not parse), whose ops say which values are floats. `place`:
// "rules.py:3" before the verdict; "" for none. `modes` takes in the denormal modes that were named.
std::string CheckText(const v1::RuleVerdict& verdict, const ir::Rule& rule, const std::string& place,
                      std::set<v1::DenormMode>* modes);

// "argument 2:1:5: error: …" and the text.
std::string ErrorText(const v1::RuleVerdict& verdict, const std::string& name);

// A line for each mode of `modes` that says what it means.
std::string ModeNotes(const std::set<v1::DenormMode>& modes);

}  // namespace rewrought::cli

#endif  // REWROUGHT_CLI_CHECK_TEXT_H_
