"""precompiled_header: library headers that g++ parses once for all files that are compiled with precompiled_copts.

The commonly included headers of the standard library, Abseil and protobuf have 121,000 lines. If the options match,
g++ uses NAME.h.gch instead of NAME.h. With --define=precompiled_headers=no, nothing is included automatically, so that
a build detects missing #include lines.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    compiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    ctx.actions.write(header, "".join(["#include <%s>\n" % name for name in ctx.attr.headers]))
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    libraries = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        source_file = header.path,
        output_file = compiled.path,
        preprocessor_defines = libraries.compilation_context.defines,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ["-x", "c++-header"],
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
        ),
        arguments = cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
            variables = variables,
        ),
        inputs = depset([header], transitive = [toolchain.all_files]),
        outputs = [compiled],
        mnemonic = "CppPrecompile",
        progress_message = "Compiling %s" % ctx.label,
    )
    context = cc_common.create_compilation_context(headers = depset([header, compiled]))
    return [DefaultInfo(files = depset([header, compiled])), CcInfo(compilation_context = context)]

_precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "headers": attr.string_list(mandatory = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def precompiled_header(name, headers, deps):
    """Declares a header of `headers` ("vector", "absl/strings/match.h") for precompiled_deps(NAME) and
    precompiled_copts(NAME).

    deps: libraries whose macros affect the headers."""
    _precompiled_header(name = name, headers = headers, deps = deps)

def precompiled_deps(name):
    """Returns the dependencies of a target whose copts are precompiled_copts(NAME)."""
    return select({
        "//third_party/system:without_precompiled_headers": [],
        "//conditions:default": ["//third_party/system:" + name],
    })

def precompiled_copts(name):
    """Returns the options of a C++ target. The target must not have other options that change code, because they would
    not match the header's options.

    Objects compiled with -fPIC use NAME.h instead of NAME.h.gch. --copt=-Winvalid-pch reports mismatches.
    """
    return select({
        "//third_party/system:without_precompiled_headers": [],
        # g++ 12 has false warnings about moves and copies of std::string. It normally hides them in system headers,
        # but not in precompiled ones.
        "//conditions:default": [
            "-include",
            "third_party/system/%s.h" % name,
            "-Wno-array-bounds",
            "-Wno-stringop-overflow",
            "-Wno-stringop-overread",
        ],
    })
