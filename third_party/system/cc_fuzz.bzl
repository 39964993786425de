"""cc_fuzz: <name> is a cc_test that replays the corpus with any compiler; <name>_libfuzzer is the fuzzer.

The source defines LLVMFuzzerTestOneInput. To fuzz, run tools/fuzz, which finds all targets of this macro.
"""

def cc_fuzz(name, srcs, deps = [], corpus = [], **kwargs):
    """Declares the replay test and the fuzzer.

    The test runs each file below fuzz/<name>/, which contains seeds and earlier crashers, and each file or filegroup
    in `corpus`.
    """
    corpus = corpus + native.glob(["fuzz/%s/**" % name])
    native.filegroup(
        name = name + "_corpus",
        srcs = corpus,
    )
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
        data = [":%s_corpus" % name],
        tags = ["libfuzzer", "manual"],
        deps = [":" + name + "_target"],
    )
