// Two lists of lines as one, each line marked as both, before or after: how a person reads what became of a program.
#ifndef REWROUGHT_EMITTER_LINE_DIFF_H_
#define REWROUGHT_EMITTER_LINE_DIFF_H_

#include <string>
#include <vector>

namespace rewrought::emitter {

// Each line with "  ", "- " or "+ " before it; as many as possible stand in both. What stands between the lines that
// both begin and end with is not searched for common lines if it is long: beyond a million pairs.
std::vector<std::string> LineDiff(const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LINE_DIFF_H_
