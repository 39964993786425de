"""embed: compiles files into a C++ table, so that a binary does not need them at run time.

    embed(name = "target_files", srcs = glob(["targets/*.textproto"]), function = "rewrought::emitter::TargetFiles")

is a library. Its header, target_files.h in the package, declares the function, which returns an ir::EmbeddedFile for
each file, sorted by path.
"""

def embed(name, srcs, function, **kwargs):
    header = name + ".h"
    source = name + ".cc"
    native.genrule(
        name = name + "_table",
        srcs = srcs,
        outs = [header, source],
        cmd = "$(location //tools:embed.sh) %s %s/%s $(OUTS) $(SRCS)" % (function, native.package_name(), header),
        tools = ["//tools:embed.sh"],
    )
    native.cc_library(
        name = name,
        srcs = [source],
        hdrs = [header],
        deps = ["//ir:embedded_file"],
        **kwargs
    )
