"""Finds faults in the contents of an unpacked Debian package: missing files, commands without a manual page or a
completion, and libraries that its dependencies do not cover."""
import functools
import os
import re
import subprocess

PROGRAM = "usr/bin/rewrought"
HELPERS = "usr/libexec/rewrought/"
SHARE = "usr/share/rewrought/"
BASH = "usr/share/bash-completion/completions/rewrought"
ZSH = "usr/share/zsh/vendor-completions/_rewrought"
UNITS = ("rewrought.service", "rewrought-night.service", "rewrought-night.timer")
UNIT_FOLDERS = ("lib/systemd/system/", "usr/lib/systemd/system/")
FILES = (PROGRAM, HELPERS + "rewrought_worker", HELPERS + "rewrought_glsl_worker", HELPERS + "night", BASH, ZSH,
         "etc/default/rewrought", "etc/rewrought/night.conf", "etc/rewrought/night.textproto",
         "usr/share/doc/rewrought/copyright", "usr/share/doc/rewrought/changelog.gz",
         "usr/share/doc/rewrought/RELEASES.md.gz", SHARE + "web-ui/index.html",
         SHARE + "tools/driver_rig/trial", SHARE + "tools/driver_rig/build", SHARE + "tools/driver_rig/drivers.toml",
         SHARE + "tools/driver_rig/runner/gl_main.cc", SHARE + "tools/driver_rig/matcher/main.c",
         SHARE + "tools/install_packages.sh", SHARE + "tools/debian_source.sh", SHARE + "audit/import_mesa_rules.py",
         SHARE + "tests/mesa/oracle/differences.txt")
EXECUTABLES = (PROGRAM, HELPERS + "rewrought_worker", HELPERS + "rewrought_glsl_worker", HELPERS + "night",
               SHARE + "tools/driver_rig/trial", SHARE + "tools/driver_rig/build", SHARE + "tools/install_packages.sh")
# Programs that the package starts by name.
STARTED = ("cvc5", "python3")
COMMAND = re.compile(r"^  ([a-z][a-z-]*)  +\S")
OPTION = re.compile(r"^ {2,4}((?:-\w,)?(?:-\w|--[a-z0-9-]+))(?: |$)")
HEADING = re.compile(r"^(?:[A-Z][\w ]*:|\[Option Group: .*\])$")
EXAMPLES = ("Example:", "Examples:")
NEEDED = re.compile(r"\(NEEDED\)\s+Shared library: \[(.*)\]")


def run(words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def commands_of(program, path=()):
    """Returns the options of each command, by the words of the command. Reads the --help texts, and is therefore
    independent of the program that writes manual pages and completions."""
    names, options, heading = [], [], ""
    lines = run([program, *path, "--help"]).splitlines()
    for line in lines:
        heading = line if HEADING.match(line) else "" if not line else heading
        command, option = COMMAND.match(line), OPTION.match(line)
        if heading not in EXAMPLES and option:
            options += option[1].split(",")
        elif heading and heading not in ("Options:", "Positionals:") + EXAMPLES and command:
            names.append(command[1])
    commands = {path: options}
    if any("SUBCOMMAND" in line for line in lines[:3]):
        for name in names:
            commands.update(commands_of(program, path + (name,)))
    return commands


def missing_files(folder):
    """Yields the files that the package lacks, and programs that cannot be executed."""
    for path in FILES:
        if not os.path.isfile(os.path.join(folder, path)):
            yield "%s is missing" % path
    for path in EXECUTABLES:
        if os.path.isfile(os.path.join(folder, path)) and not os.access(os.path.join(folder, path), os.X_OK):
            yield "%s is not executable" % path
    for unit in UNITS:
        if not any(os.path.isfile(os.path.join(folder, place + unit)) for place in UNIT_FOLDERS):
            yield "%s is missing" % unit


def missing_reference(folder, commands):
    """Yields the commands and options without a manual page or a completion."""
    completions = {}
    for path in (BASH, ZSH):
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            completions[path] = file.read()
    for words, options in sorted(commands.items()):
        name = "-".join(("rewrought",) + words)
        page = os.path.join(folder, "usr/share/man/man1", name + ".1.gz")
        if not os.path.isfile(page):
            yield "%s has no manual page" % name
            continue
        text = run(["gzip", "-dc", page]).replace("\\-", "-")
        place = "'%s') commands='" % " ".join(("rewrought",) + words)
        line = next((line for line in completions[BASH].splitlines() if line.strip().startswith(place)), None)
        function = re.search(r"^_%s\(\) \{\n(.*?)^\}" % "_".join(("rewrought",) + words), completions[ZSH], re.S | re.M)
        if line is None or function is None:
            yield "%s has no completion" % name
            continue
        listed = line.split("options='")[1].split("'")[0].split()
        for option in options:
            if not re.search(r"^.*\\fB%s\\fR" % re.escape(option), text, re.M):
                yield "%s: %s is not in the manual page" % (name, option)
            if option not in listed or not re.search(r"['{,*]%s['},]" % re.escape(option), function[1]):
                yield "%s: %s is not in the completions" % (name, option)


def elf_files(folder):
    for directory, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                if file.read(4) == b"\x7fELF":
                    yield path


@functools.cache
def owners_of(names):
    """Returns the packages of libraries, by their names; "no package" for an unknown library."""
    places = dict(re.findall(r"^\s*(\S+) .*x86-64.*=> (\S+)$", run(["/sbin/ldconfig", "-p"]), re.M))
    paths = {}
    for name in names:
        path = os.path.realpath(places.get(name, name))
        paths.update({path: name, re.sub("^/usr", "", path): name})
    done = subprocess.run(["dpkg-query", "-S"] + sorted(paths), capture_output=True, text=True)  # some are not found
    owners = dict.fromkeys(names, "no package")
    for line in done.stdout.splitlines():
        package, path = line.split(": ", 1)
        owners[paths[path]] = package.split(":")[0]
    return owners


def uncovered_libraries(folder, depends):
    """Yields the libraries and programs that are needed but not covered by the field Depends."""
    packages = {re.split(r"[ (:|]", dependency.strip())[0] for dependency in depends.split(",")}
    needed = {}
    for path in elf_files(folder):
        for name in NEEDED.findall(run(["readelf", "-d", path])):
            needed.setdefault(name, os.path.relpath(path, folder))
    owners = owners_of(tuple(sorted(needed)))
    for name, user in sorted(needed.items()):
        if owners[name] not in packages:
            yield "%s needs %s of %s, which Depends does not name" % (user, name, owners[name])
    for name in STARTED:
        if name not in packages:
            yield "Depends does not name %s" % name


def problems_of(folder, depends, commands):
    """Returns all faults of an unpacked package, one line of text each."""
    problems = list(missing_files(folder))
    if not any("completion" in line or "zsh" in line for line in problems):
        problems += missing_reference(folder, commands)
    return problems + list(uncovered_libraries(folder, depends))
