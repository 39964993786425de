"""Lets Debian's bazel-bootstrap (4.2.3 in bookworm/trixie, 7.7.1 in sid) build without network access.

Bazel's embedded WORKSPACE suffix refers to repositories that Bazel would download from GitHub. Each repository is
replaced by the first folder of `candidates` that has a BUILD file, or by the stub files.
"""

def _impl(rctx):
    for c in rctx.attr.candidates:
        p = rctx.path(c)
        if not p.exists:
            continue
        if not (rctx.path(c + "/" + rctx.attr.probe).exists):
            continue
        for child in p.readdir():
            if child.basename not in ["WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel", "REPO.bazel"]:
                rctx.symlink(child, child.basename)
        rctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % rctx.name)
        return
    rctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % rctx.name)
    for path, text in rctx.attr.stub.items():
        rctx.file(path, text)

offline_repo = repository_rule(
    implementation = _impl,
    attrs = {
        "candidates": attr.string_list(),
        "probe": attr.string(default = "BUILD"),
        "stub": attr.string_dict(),
    },
    local = True,
)

_RULES_CC_DEFS = """
cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library
cc_flags_supplier = native.filegroup
def compiler_flag(**kw):
    pass
"""

_RULES_JAVA_DEFS = """
java_binary = native.java_binary
java_import = native.java_import
java_library = native.java_library
java_package_configuration = native.java_package_configuration
java_plugin = native.java_plugin
java_proto_library = native.java_proto_library
java_runtime = native.java_runtime
java_test = native.java_test
java_toolchain = native.java_toolchain
"""

_RULES_PROTO_DEFS = """
proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library
"""

def offline_repos():
    # Always use the stub, because Debian's own rules_cc 0.0.x does not load in its Bazel 4.2.3.
    offline_repo(name = "rules_cc", stub = {"BUILD": "", "cc/BUILD": "", "cc/defs.bzl": _RULES_CC_DEFS})

    # bazel-bootstrap only recommends bazel-rules-java and bazel-rules-proto, so they may be absent. This project does
    # not use their rules, but Bazel's own toolchain packages load them.
    offline_repo(
        name = "rules_java",
        candidates = ["/usr/share/bazel/rules/java"],
        stub = {"BUILD": "", "java/BUILD": "", "java/defs.bzl": _RULES_JAVA_DEFS},
    )
    offline_repo(
        name = "rules_proto",
        candidates = ["/usr/share/bazel/rules/proto"],
        stub = {"BUILD": "", "proto/BUILD": "", "proto/defs.bzl": _RULES_PROTO_DEFS},
    )
    offline_repo(name = "rules_python", candidates = ["/usr/share/bazel/rules/python"], probe = "BUILD.bazel", stub = {"BUILD": ""})
    offline_repo(name = "rules_license", candidates = ["/usr/share/bazel/rules/license"], stub = {"BUILD": ""})
    offline_repo(name = "bazel_skylib", candidates = ["/usr/share/bazel/tools/skylib"], stub = {"BUILD": ""})
    offline_repo(name = "platforms", candidates = ["/usr/share/bazel/platforms", "/usr/share/bazel/platforms/platforms"], probe = "cpu/BUILD")
    offline_repo(name = "remote_coverage_tools", stub = {"BUILD": "filegroup(name = \"coverage_report_generator\", srcs = [], visibility = [\"//visibility:public\"])\n"})
