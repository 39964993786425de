"""version_header: provides the version to C++."""

load("@version//:version.bzl", "VERSION", "VERSION_DATE")

def version_header(name):
    """Declares the cc_library `name`, whose header `name`.h defines kVersion and kVersionDate (tools/version.bzl)."""
    native.genrule(
        name = name + "_header",
        outs = [name + ".h"],
        cmd = """
cat >$@ <<'END'
#ifndef REWROUGHT_VERSION_H_
#define REWROUGHT_VERSION_H_
namespace rewrought {
inline constexpr char kVersion[] = "%s";
inline constexpr char kVersionDate[] = "%s";
}  // namespace rewrought
#endif
END
""" % (VERSION, VERSION_DATE),
    )
    native.cc_library(
        name = name,
        hdrs = [name + ".h"],
    )
