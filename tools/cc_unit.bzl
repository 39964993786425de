"""cc_unit: a header and source pair with its test, the usual target of this project.

    cc_unit(name = "rewriter", deps = [":match"], test_deps = ["//ir/text:rule_text"])

uses whichever of rewriter.h, rewriter.cc and rewriter_test.cc exist. Both targets link Abseil; the test also links
GoogleTest.
"""

load("//third_party/system:precompiled.bzl", "precompiled_copts", "precompiled_deps")

# These targets contain only link options (third_party/system); the linker drops unused libraries.
ABSL = [
    "@system_libs//:absl_" + part
    for part in ["algorithm", "cleanup", "containers", "functional", "hash", "numeric", "random", "span", "status",
                 "strings", "synchronization", "time"]
]

def cc_unit(
        name,
        srcs = [],
        hdrs = [],
        deps = [],
        test_size = "medium",
        test_timeout = None,
        test_args = [],
        test_data = [],
        test_tags = [],
        test_shard_count = None,
        test_deps = [],
        **kwargs):
    """Declares the cc_library `name`, and the test `name`_test if `name`_test.cc exists.

    srcs, hdrs: additional files with other names."""
    native.cc_library(
        name = name,
        srcs = native.glob([name + ".cc"]) + srcs,
        hdrs = native.glob([name + ".h"]) + hdrs,
        # A target that sets its own copts cannot use the precompiled header.
        copts = kwargs.pop("copts", precompiled_copts("libraries")),
        linkopts = kwargs.pop("linkopts", []) + ["-pthread"],
        deps = deps + ABSL + precompiled_deps("libraries"),
        **kwargs
    )
    if native.glob([name + "_test.cc"]):
        cc_unit_test(
            name = name + "_test",
            size = test_size,
            timeout = test_timeout,
            args = test_args,
            data = test_data,
            tags = test_tags,
            shard_count = test_shard_count,
            deps = [":" + name] + deps + test_deps,
        )

def cc_unit_test(name, size = "medium", srcs = [], deps = [], **kwargs):
    """Declares the GoogleTest in `name`.cc. srcs: additional files with other names."""
    native.cc_test(
        name = name,
        size = size,
        srcs = native.glob([name + ".cc"]) + srcs,
        copts = precompiled_copts("test_libraries"),
        linkopts = ["-pthread"],
        deps = deps + ABSL + ["@system_libs//:gtest_main"] + precompiled_deps("test_libraries"),
        **kwargs
    )
