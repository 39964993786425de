"""Builds the wheel of the Python package, as a build backend of pip (PEP 517) and as a command.

usage: wheel_backend.py FOLDER     writes FOLDER/rewrought-VERSION-py3-none-any.whl and prints its name

It needs only Python, so that pip can build the package without a network. The same files yield the same bytes. The
version is that of the program (tools/version.bzl): the newest one that a heading of CHANGELOG.md states, with the suffix
"+unreleased" if the changelog has unreleased changes.
"""
import base64
import hashlib
import os
import re
import sys
import tomllib
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
CHANGELOG = os.path.join(HERE, "..", "..", "CHANGELOG.md")
PACKAGE = "rewrought"
_RELEASE = re.compile(r"^## (\d+)\.(\d+)(\.\d+)? \(\d{4}-\d\d-\d\d\)$", re.MULTILINE)


def version_in(changelog):
    """Returns the version that the text of the changelog states. Raises ValueError if it has no release."""
    release = _RELEASE.search(changelog)
    if release is None:
        raise ValueError("CHANGELOG.md has no heading such as '## 0.3 (2026-11-27)'")
    unreleased = "\n## Unreleased\n" in changelog[:release.start()]
    return ".".join(part.lstrip(".") for part in release.groups() if part) + ("+unreleased" if unreleased else "")


def version():
    """Returns the version of the project."""
    with open(CHANGELOG, encoding="utf-8") as file:
        return version_in(file.read())


def _project():
    with open(os.path.join(HERE, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def _metadata():
    project = _project()
    with open(os.path.join(HERE, project["readme"]), encoding="utf-8") as file:
        readme = file.read()
    return ("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nLicense: %s\nRequires-Python: %s\n"
            "Description-Content-Type: text/markdown\n\n%s" % (
                project["name"], version(), project["description"], project["license"]["text"],
                project["requires-python"], readme))


def _files():
    """Returns the contents of the wheel by name."""
    files = {}
    for name in sorted(os.listdir(os.path.join(HERE, PACKAGE))):
        if name.endswith(".py") or name == "py.typed":
            with open(os.path.join(HERE, PACKAGE, name), "rb") as file:
                files[PACKAGE + "/" + name] = file.read()
    info = "%s-%s.dist-info/" % (PACKAGE, version())
    files[info + "METADATA"] = _metadata().encode()
    files[info + "WHEEL"] = b"Wheel-Version: 1.0\nGenerator: wheel_backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append("%s,sha256=%s,%d\n" % (name, digest, len(content)))
    record.append(info + "RECORD,,\n")
    files[info + "RECORD"] = "".join(record).encode()
    return files


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a folder and returns its name; called by pip."""
    del config_settings, metadata_directory
    name = "%s-%s-py3-none-any.whl" % (PACKAGE, version())
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in _files().items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Raises an error, because the source is the repository."""
    raise NotImplementedError("this package is built from the repository; build a wheel instead")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    print(build_wheel(sys.argv[1]))
