// Generates the op families of ir/ops/known_answers/ as text.
#ifndef REWROUGHT_TOOLS_KNOWN_ANSWERS_FAMILIES_H_
#define REWROUGHT_TOOLS_KNOWN_ANSWERS_FAMILIES_H_

#include <string>

namespace rewrought::known_answers {

std::string FloatArithmeticAnswers();
std::string FloatCompareAnswers();
std::string FloatApproximateAnswers();
std::string ConversionAnswers();
std::string IntegerArithmeticAnswers();
std::string IntegerCompareAnswers();
std::string LogicAndShiftAnswers();
std::string BitfieldAnswers();
std::string SelectAnswers();
std::string PackAndVectorAnswers();

}  // namespace rewrought::known_answers

#endif  // REWROUGHT_TOOLS_KNOWN_ANSWERS_FAMILIES_H_
