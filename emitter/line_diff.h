// A line-by-line diff, used to show how a program changed.
#ifndef REWROUGHT_EMITTER_LINE_DIFF_H_
#define REWROUGHT_EMITTER_LINE_DIFF_H_

#include <string>
#include <vector>

namespace rewrought::emitter {

// Merges both lists with as many common lines as possible, and prefixes each line with "  ", "- ", or "+ ". Between the
// common prefix and the common suffix, searches for common lines only if there are at most a million pairs of lines.
std::vector<std::string> LineDiff(const std::vector<std::string>& before, const std::vector<std::string>& after);

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_LINE_DIFF_H_
