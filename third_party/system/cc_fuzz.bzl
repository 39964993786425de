"""cc_fuzz: <name> is a cc_test which replays the corpus with any compiler; <name>_libfuzzer is the fuzzer itself.

The source defines LLVMFuzzerTestOneInput. Fuzz with: bazel build --config=fuzz //folder:<name>_libfuzzer
"""

def cc_fuzz(name, srcs, deps = [], corpus = [], **kwargs):
    """Declares the replay test and the fuzzer. corpus: files or filegroups, one run each file."""
    native.cc_library(
        name = name + "_target",
        testonly = True,
        srcs = srcs,
        alwayslink = True,
        deps = deps,
    )
    native.cc_test(
        name = name,
        size = "small",
        srcs = ["//third_party/system:replay_main.cc"],
        args = ["$(locations %s)" % files for files in corpus],
        data = corpus,
        deps = [":" + name + "_target"],
        **kwargs
    )
    native.cc_binary(
        name = name + "_libfuzzer",
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = [":" + name + "_target"],
    )
