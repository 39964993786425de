"""@version: the version of Rewrought, which the headings of CHANGELOG.md state."""

def _impl(rctx):
    unreleased = False
    for line in rctx.read(rctx.path(rctx.attr.changelog)).split("\n"):
        if line == "## Unreleased":
            unreleased = True
        words = line.split(" ")
        if len(words) != 3 or words[0] != "##" or not words[2].startswith("("):
            continue
        rctx.file("BUILD.bazel", "")
        rctx.file("version.bzl", "\n".join([
            "\"\"\"Generated from CHANGELOG.md.\"\"\"",
            "VERSION = \"%s%s\"" % (words[1], "+unreleased" if unreleased else ""),
            "VERSION_DATE = \"%s\"" % words[2].strip("()"),
            "",
        ]))
        return
    fail("CHANGELOG.md has no heading of the form '## VERSION (YYYY-MM-DD)'; add one for the last version")

# Provides VERSION and VERSION_DATE in @version//:version.bzl. They are those of the newest version in the changelog, such
# as "0.3" and "2026-11-27". If the changelog has unreleased changes, "+unreleased" is appended to the version.
version_repository = repository_rule(
    implementation = _impl,
    attrs = {"changelog": attr.label(mandatory = True)},
)
