// Reads shaders in all formats that a harvest reads, one at a time and without a database.
#ifndef REWROUGHT_CORPUS_SHADER_INPUTS_H_
#define REWROUGHT_CORPUS_SHADER_INPUTS_H_

#include <functional>
#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "corpus/reader.h"
#include "ir/shader.h"

namespace rewrought::corpus {

// Calls `visit` for every shader of the file, folder, or archive `path`, sorted by name, until `stop` is requested or
// `visit` returns false. Inputs that cannot be read are listed in `report`. Fails with NotFound or PermissionDenied if
// `path` itself cannot be read.
absl::Status ForEachShader(const std::string& path, std::stop_token stop, const std::function<bool(ir::Shader)>& visit,
                           ReadReport* report);

}  // namespace rewrought::corpus

#endif  // REWROUGHT_CORPUS_SHADER_INPUTS_H_
