// Shaders for selection from everything that a harvest reads, one at a time and without a database.
#ifndef REWROUGHT_CORPUS_SHADER_INPUTS_H_
#define REWROUGHT_CORPUS_SHADER_INPUTS_H_

#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "corpus/reader.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// Gives every shader of the file, folder or archive `path` in the order of names, until `stop` or `visit` returns
// false. What cannot be read is in `report`. NotFound, PermissionDenied: `path` itself cannot be read.
absl::Status ForEachShader(const std::string& path, std::stop_token stop, const std::function<bool(ir::Shader)>& visit,
                           ReadReport* report);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SHADER_INPUTS_H_
