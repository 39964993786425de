"""Rules for the packages: the files of an installation, a Debian package, and a bundle with its libraries."""

load("@system_libs//:release.bzl", "DEBIAN_RELEASE")
load("@version//:version.bzl", "VERSION", "VERSION_DATE")

# VERSION_DATE is the time of all files, so that two builds have the same bytes. The version of a Debian package contains the release whose libraries it needs, so that an upgrade of the release also
# upgrades the package.
DEBIAN_VERSION = "%s+deb%s" % (VERSION, DEBIAN_RELEASE)

def installation(name, files, data, reference, web_ui, **kwargs):
    """Declares the tar file `name`.tar with the files of an installation below its prefix.

    files: labels by path. data: labels of files that are installed below share/rewrought with their paths in the
    repository. reference: a program that writes manual pages and completions. web_ui: a tar file."""
    options = ["--file %s=$(location %s)" % (path, label) for path, label in sorted(files.items())]
    options.append("--unpack share/rewrought/web-ui=$(location %s)" % web_ui)
    options.append("--data " + " ".join(["$(locations %s)" % label for label in data]))
    native.genrule(
        name = name,
        # As a tool, `reference` would be built again for the host, together with the whole program.
        srcs = sorted(files.values()) + data + [web_ui, reference],
        outs = [name + ".tar"],
        cmd = "$(location make_installation.py) --output $@ --date %s --reference $(location %s) %s" %
              (VERSION_DATE, reference, " ".join(options)),
        tools = ["make_installation.py"],
        **kwargs
    )

def debian_package(name, installation, out, debian, system, **kwargs):
    """Declares a Debian package. debian: the files of its folder debian; system: labels by absolute path without the
    slash."""
    native.genrule(
        name = name,
        srcs = [installation, "//:CHANGELOG.md"] + debian + sorted(system.values()),
        outs = [out],
        cmd = " ".join([
            "$(location build_deb.py) --output $@ --installation $(location %s)" % installation,
            "--version %s --date %s --changelog $(location //:CHANGELOG.md)" % (DEBIAN_VERSION, VERSION_DATE),
            "--debian " + " ".join(["$(locations %s)" % label for label in debian]),
        ] + ["--system %s=$(location %s)" % (path, label) for path, label in sorted(system.items())]),
        tools = ["build_deb.py", "make_installation.py"],
        **kwargs
    )

def bundle(name, installation, files, **kwargs):
    """Declares a tar file with the installation, more files, and all libraries. files: labels by path."""
    folder = "rewrought-%s-linux-x86_64" % VERSION
    native.genrule(
        name = name,
        srcs = [installation] + sorted(files.values()),
        outs = [kwargs.pop("out", folder + ".tar.gz")],
        cmd = " ".join([
            "$(location build_bundle.py) --output $@ --installation $(location %s)" % installation,
            "--name %s --date %s" % (folder, VERSION_DATE),
        ] + ["--file %s=$(location %s)" % (path, label) for path, label in sorted(files.items())]),
        tools = ["build_bundle.py", "make_installation.py"],
        **kwargs
    )
