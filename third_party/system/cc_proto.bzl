"""cc_proto and cc_grpc: wrap the output of the distribution's protoc and grpc_cpp_plugin into a cc_library.

    cc_proto(name = "machine_cc", srcs = ["rewrought/v1/machine.proto"])
    cc_grpc(name = "run_service_cc", srcs = ["rewrought/v1/run_service.proto"], proto_srcs = [...], deps = [":run_cc"])

proto_srcs are the .proto files that srcs import, and deps are their cc targets. Import and include paths are relative
to the repository root: "proto/rewrought/v1/machine.proto", "proto/rewrought/v1/machine.pb.h".
"""

load(":precompiled.bzl", "precompiled_copts", "precompiled_deps")

def _generate_impl(ctx):
    outs = []
    for src in ctx.files.srcs:
        # Outputs mirror the source's path below this package.
        base = src.short_path[len(ctx.label.package) + 1 if ctx.label.package else 0:-len(".proto")]
        names = [base + ".pb.h", base + ".pb.cc"]
        if ctx.attr.plugin:
            names += [base + ".grpc.pb.h", base + ".grpc.pb.cc"]
        outs += [ctx.actions.declare_file(name) for name in names]
    args = ctx.actions.args()
    args.add("-I.")
    args.add("--cpp_out=" + ctx.bin_dir.path)
    tools = []
    if ctx.attr.plugin:
        args.add("--plugin=protoc-gen-grpc=" + ctx.file.plugin.path)
        args.add("--grpc_out=" + ctx.bin_dir.path)
        tools.append(ctx.file.plugin)
    args.add_all(ctx.files.srcs)
    ctx.actions.run(
        executable = ctx.file._protoc,
        arguments = [args],
        inputs = ctx.files.srcs + ctx.files.proto_srcs,
        tools = tools,
        outputs = outs,
        mnemonic = "Protoc",
        progress_message = "protoc %s" % ctx.label,
    )
    return [
        DefaultInfo(files = depset(outs)),
        OutputGroupInfo(
            hdrs = depset([out for out in outs if out.extension == "h"]),
            srcs = depset([out for out in outs if out.extension == "cc"]),
        ),
    ]

_generate = rule(
    implementation = _generate_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".proto"]),
        "proto_srcs": attr.label_list(allow_files = [".proto"]),
        "plugin": attr.label(allow_single_file = True, cfg = "exec"),
        "_protoc": attr.label(default = "@system_libs//:bin/protoc", allow_single_file = True, cfg = "exec"),
    },
)

def _library(name, srcs, proto_srcs, deps, plugin, **kwargs):
    _generate(name = name + "_gen", srcs = srcs, proto_srcs = proto_srcs, plugin = plugin)
    native.filegroup(name = name + "_hdrs", srcs = [":" + name + "_gen"], output_group = "hdrs")
    native.filegroup(name = name + "_srcs", srcs = [":" + name + "_gen"], output_group = "srcs")
    native.cc_library(
        name = name,
        srcs = [":" + name + "_srcs"],
        hdrs = [":" + name + "_hdrs"],
        copts = ["-w"] + precompiled_copts("libraries"),  # ignore warnings in generated code
        deps = deps + precompiled_deps("libraries"),
        **kwargs
    )

def cc_proto(name, srcs, proto_srcs = [], deps = [], **kwargs):
    """Declares a cc_library of the messages in srcs; links only protobuf."""
    _library(name, srcs, proto_srcs, deps + ["@system_libs//:protobuf"], None, **kwargs)

def cc_grpc(name, srcs, proto_srcs = [], deps = [], **kwargs):
    """Declares a cc_library of the messages and gRPC services in srcs; links grpc++."""
    _library(
        name,
        srcs,
        proto_srcs,
        deps + ["@system_libs//:protobuf", "@system_libs//:grpc++"],
        "@system_libs//:bin/grpc_cpp_plugin",
        **kwargs
    )
