"""Lists the distribution's libraries and tools. system_libs.bzl turns each row into a target of @system_libs."""

SYSTEM_LIBS = {
    # target: "debian package|pkg-config modules|header to probe|extra linkopts"
    # The extra linkopt -l?NAME links the library NAME only if the release has it.
    # A target links the libraries that its modules need. An absl target represents the headers of its folder under
    # absl/.
    "absl_algorithm": "libabsl-dev|absl_algorithm absl_algorithm_container|absl/algorithm/container.h|",
    "absl_base": "libabsl-dev|absl_base absl_core_headers absl_cleanup|absl/base/attributes.h|",
    "absl_cleanup": "libabsl-dev|absl_cleanup|absl/cleanup/cleanup.h|",
    "absl_containers": "libabsl-dev|absl_flat_hash_map absl_flat_hash_set absl_node_hash_map absl_btree absl_inlined_vector absl_fixed_array|absl/container/flat_hash_map.h|",
    "absl_flags": "libabsl-dev|absl_flags absl_flags_parse absl_flags_usage|absl/flags/parse.h|",
    "absl_functional": "libabsl-dev|absl_function_ref absl_any_invocable|absl/functional/function_ref.h|",
    "absl_hash": "libabsl-dev|absl_hash|absl/hash/hash.h|",
    "absl_numeric": "libabsl-dev|absl_int128 absl_bits|absl/numeric/int128.h|",
    "absl_random": "libabsl-dev|absl_random_random|absl/random/random.h|",
    "absl_span": "libabsl-dev|absl_span|absl/types/span.h|",
    "absl_status": "libabsl-dev|absl_status absl_statusor|absl/status/statusor.h|",
    "absl_strings": "libabsl-dev|absl_strings absl_str_format absl_cord|absl/strings/str_cat.h|",
    "absl_synchronization": "libabsl-dev|absl_synchronization|absl/synchronization/mutex.h|",
    "absl_time": "libabsl-dev|absl_time absl_synchronization|absl/time/clock.h|",
    "beast": "libboost-dev||boost/beast.hpp|",
    "benchmark": "libbenchmark-dev|benchmark|benchmark/benchmark.h|-lbenchmark_main",
    "cli11": "libcli11-dev||CLI/CLI.hpp|",
    "crypto": "libssl-dev|libcrypto|openssl/sha.h|",
    # No single pkg-config module lists the static libraries in link order. Newer releases have no OGLCompiler.
    "glslang": "glslang-dev||glslang/Public/ShaderLang.h|-lglslang -lMachineIndependent -lGenericCodeGen -l?OGLCompiler -lOSDependent -lSPIRV -lglslang-default-resource-limits -lSPIRV-Tools-opt -lSPIRV-Tools -lpthread",
    "gmock": "libgmock-dev|gmock|gmock/gmock.h|",
    "gmp": "libgmp-dev|gmp|gmpxx.h|",
    "grpc++": "libgrpc++-dev|grpc++|grpcpp/grpcpp.h|",
    "grpc++_reflection": "libgrpc++-dev|grpc++|grpcpp/ext/proto_server_reflection_plugin.h|-lgrpc++_reflection",
    "gtest": "libgtest-dev|gtest|gtest/gtest.h|",
    "gtest_main": "libgtest-dev|gtest_main|gtest/gtest.h|",
    "libarchive": "libarchive-dev|libarchive|archive.h|",
    "mpfr": "libmpfr-dev|mpfr gmp|mpfr.h|",
    "nghttp2": "libnghttp2-dev|libnghttp2|nghttp2/nghttp2.h|",
    "nlohmann_json": "nlohmann-json3-dev||nlohmann/json.hpp|",
    "prometheus": "prometheus-cpp-dev|prometheus-cpp-core|prometheus/registry.h|",
    "protobuf": "libprotobuf-dev|protobuf|google/protobuf/message.h|",
    "seccomp": "libseccomp-dev|libseccomp|seccomp.h|",
    "spirv_headers": "spirv-headers||spirv/unified1/spirv.hpp|",
    "spirv_tools": "spirv-tools (bookworm) or spirv-tools-dev (newer)|SPIRV-Tools|spirv-tools/optimizer.hpp|",
    "sqlite3": "libsqlite3-dev|sqlite3|sqlite3.h|",
    "ssl": "libssl-dev|libssl libcrypto|openssl/ssl.h|",
    "z3": "libz3-dev|z3|z3++.h|",
    "zlib": "zlib1g-dev|zlib|zlib.h|",
}

SYSTEM_TOOLS = {
    "cvc5": "cvc5",
    "glslangValidator": "glslang-tools",
    "grpc_cpp_plugin": "protobuf-compiler-grpc",
    "grpc_python_plugin": "protobuf-compiler-grpc",
    "protoc": "protobuf-compiler",
    "spirv-as": "spirv-tools",
    "spirv-opt": "spirv-tools",
    "spirv-val": "spirv-tools",
}
