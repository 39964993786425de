#!/usr/bin/env python3
"""Tests a package in a new root file system: installs it, checks rules, runs the service and a nightly job, and removes
the package. Requires root, and the network for the packages of Debian.

    sudo packaging/check.py deb bookworm bazel-bin/packaging/rewrought_VERSION+deb12_amd64.deb
    sudo packaging/check.py bundle trixie bazel-bin/packaging/rewrought-VERSION-linux-x86_64.tar.gz
    sudo packaging/check.py bundle bookworm FILE --bare      only glibc and busybox in the file system
    sudo packaging/check.py systemd bookworm bazel-bin/packaging/rewrought_VERSION+deb12_amd64.deb
    sudo packaging/check.py image bookworm bazel-bin/packaging/rewrought_VERSION+deb12_amd64.deb

`systemd` installs the Debian package in a system that it boots with systemd-nspawn, and tests the units. `image` builds
an image from the Containerfile with buildah and runs it. Its base is a minimal Debian from mmdebstrap instead of a base
from a registry.

Writes the output of each step to a log in the folder, and its time, exit status, and the size of the file system after
it to steps.jsonl. Prints a table of the steps at the end. Ctrl-C ends the step and prints the table. Everything is
mounted and started in namespaces of this command, so the kernel unmounts and kills it when the command ends in any way.
Exit status: 0 if all steps succeeded, 1 if one failed, 2 for wrong usage, 130 after Ctrl-C.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

FOLDER = os.path.dirname(os.path.realpath(__file__))
REPOSITORY = os.path.dirname(FOLDER)
sys.path.insert(0, os.path.join(REPOSITORY, "tools"))
sys.dont_write_bytecode = True
import release_check  # noqa: E402
import try_service  # noqa: E402

# Z3 proves this rule, and cvc5 confirms the proof.
PROVED = try_service.RULE
REFUTED = "(('fadd', a, ('fneg', a)), 0.0)"
SHADER = """#version 310 es
precision highp float;
in vec2 at;
out vec4 color;
void main() { color = vec4(at.x * 2.0 + at.x * 3.0, (at.x + at.y) - at.y, at.x * at.x - at.y * at.y, 1.0); }
"""
# Files that apt and dpkg themselves change or keep, and files that Debian's packages keep after a purge (netbase keeps
# etc/hosts).
KEPT = re.compile(r"^(var/lib/(apt|dpkg)/|var/cache/(apt|debconf|ldconfig|man)(/|$)|var/log/|etc/ld\.so\.cache$|"
                  r"etc/hosts$|tmp/|root/|run/|proc/|dev/|sys/)")
STATE = "/var/lib/rewrought"
HOME = release_check.HOME
NIGHT = """corpus { path: "%(folder)s/shaders" source: "shaders" }
machines: "agx_g13"
budget { seconds: 10 }
export_formats: "nir"
export_dir: "%(folder)s/packs"
db: "%(folder)s/rewrought.db"
"""
RIG_TABLE = "/share/rewrought/tools/driver_rig/drivers.toml"
TRIAL = "rewrought trial --driver none --shaders /tmp --db %s/rewrought.db 2>&1" % STATE
NIGHT_FILES = ("night/mail.txt", "night/night.json", "rewrought.db")
SYSTEMD_PACKAGES = "dbus,systemd,systemd-sysv"
SECONDS_TO_BOOT = 600
# Runs the test of the units after the boot, and ends the system.
TEST_UNIT = """[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/sh /opt/try_units.sh /opt/try_service.py
ExecStopPost=/bin/systemctl poweroff --no-block
StandardOutput=file:/var/log/try_units.log
StandardError=file:/var/log/try_units.log
"""
# The folders of a test of the image: buildah's storage, the context of the build, and the volume.
IMAGE_FOLDERS = "images", "containers", "context", "volume"
BARE_PACKAGES = "libc6,busybox-static"
CHROOT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def expecting(status, words):
    """Returns a command that succeeds if `words` ends with this status."""
    return ["sh", "-c", 'expected=$1; shift; "$@"; [ $? = "$expected" ]', "sh", str(status)] + words


def printing(text, words):
    """Returns a command that succeeds if the output of `words` contains the text."""
    return ["sh", "-c", 'text=$1; shift; output=$("$@"); echo "$output"; case $output in *"$text"*) ;; *) exit 1; esac',
            "sh", text] + words


def both_solvers(program):
    """Returns a command that succeeds if both solvers prove a rule."""
    return printing('"confirmed_by":["cvc5', program + ["check", PROVED, "--confirm", "--json"])


class PackageCheck(release_check.Check):
    """The steps of the test of one package."""

    def __init__(self, arguments):
        super().__init__(arguments)
        self.arguments = arguments

    def path(self, inside):
        return self.root + inside

    def last_log(self, name):
        with open(os.path.join(self.folder, name + ".log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def verify(self, name, problems):
        """Records a step that only lists problems. Returns True if there are none."""
        return self.run(name, ["sh", "-c", 'for line; do echo "$line"; done; [ $# = 0 ]', "sh"] + sorted(problems))

    def files(self):
        """Returns the paths of all files of the root file system, without those that KEPT matches."""
        paths = set()
        for directory, folders, names in os.walk(self.root):
            relative = os.path.relpath(directory, self.root)
            paths.update(os.path.normpath(os.path.join(relative, name)) for name in names + folders)
            folders[:] = [name for name in folders if not os.path.ismount(os.path.join(directory, name))]
        return {path for path in paths if not KEPT.match(path)}

    def check_rules(self, program):
        """Checks a rule that holds, with both solvers, and one that does not."""
        return all([self.inside("first verdict", expecting(1, [program, "check", REFUTED])),
                    self.inside("verdict of both solvers", both_solvers([program]))])

    def serve(self, program, folder):
        """Runs the service in the file system, and uses it from outside."""
        inside = ["chroot", self.root, program]
        return self.try_service(inside, inside + ["serve", "--db", folder + "/rewrought.db", "--http", "127.0.0.1:8080"],
                                env={"PATH": CHROOT_PATH, "HOME": folder, "LANG": "C.UTF-8"})

    def try_service(self, client, server, **options):
        """Runs and uses a service in a network of its own, so that its ports are free."""
        return self.run("serve", ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable,
                                  os.path.join(FOLDER, "try_service.py"), "--client", " ".join(client), "--"] + server,
                        **options)

    def write_night(self, folder, place, config):
        """Writes a shader, and the configuration of a nightly job in the folder, which is now at another place."""
        os.makedirs(self.path(place + "/shaders"), exist_ok=True)
        with open(self.path(place + "/shaders/a.frag"), "w", encoding="utf-8") as file:
            file.write(SHADER)
        with open(self.path(config), "w", encoding="utf-8") as file:
            file.write(NIGHT % {"folder": folder})

    def night(self, folder, config, words):
        """Runs a nightly job on one shader, twice, and checks its files."""
        self.write_night(folder, folder, config)
        if not self.inside("nightly", words):
            return False
        problems = ["%s/%s is missing" % (folder, name) for name in NIGHT_FILES
                    if not os.path.exists(self.path(folder + "/" + name))]
        if not problems:
            with open(self.path(folder + "/night/night.json"), encoding="utf-8") as file:
                harvest = json.load(file)["nightly"]["harvest"]
            if not harvest["new"] or not harvest["fragments"]:
                problems.append("the nightly job read no shader: %s" % harvest)
        return self.verify("files of the nightly job", problems) and self.inside("nightly again", words)


class DebCheck(PackageCheck):
    def steps_of(self):
        if not self.create(self.arguments.mirror, ""):
            return False
        self.mount()
        if not self.inside("apt-get update", ["apt-get", "update", "-q"]):
            return False
        before = self.files()
        shutil.copyfile(self.arguments.file, self.path("/tmp/rewrought.deb"))
        apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q"]
        if not self.inside("install", apt + ["install", "--no-install-recommends", "/tmp/rewrought.deb"]):
            return False
        self.inside("apt-get clean", ["apt-get", "clean"])
        results = [
            self.check_rules("rewrought"),
            self.serve("/usr/bin/rewrought", STATE),
            self.night(STATE, "/etc/rewrought/night.textproto",
                       ["env", "HOME=" + STATE, "XDG_STATE_HOME=" + STATE + "/state",
                        "/usr/libexec/rewrought/night", "/etc/rewrought/night.conf"]),
            # The message for an unknown driver names the table of drivers.
            self.inside("the rig", printing(RIG_TABLE, ["sh", "-c", TRIAL])),
            self.inside("dpkg --verify", ["sh", "-c", "! dpkg --verify rewrought | grep -v ' c /etc/'"]),
            self.inside("remove", apt + ["remove", "rewrought"]),
            self.verify("state is kept", [path + " was removed" for path in
                                          (STATE + "/rewrought.db", "/etc/rewrought/night.conf", "/etc/default/rewrought")
                                          if not os.path.exists(self.path(path))]),
            self.inside("purge", apt + ["purge", "--autoremove", "rewrought"])]
        left = ["/%s is left" % path for path in self.files() - before]
        lost = ["/%s is lost" % path for path in before - self.files()]
        return self.verify("no file is left", left + lost) and all(results)


class SystemdCheck(PackageCheck):
    def steps_of(self):
        if not self.create(self.arguments.mirror, SYSTEMD_PACKAGES):
            return False
        self.mount()
        shutil.copyfile(self.arguments.file, self.path("/var/tmp/rewrought.deb"))
        apt = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-y", "-q"]
        if not (self.inside("apt-get update", apt + ["update"]) and
                self.inside("install", apt + ["install", "--no-install-recommends", "/var/tmp/rewrought.deb"])):
            return False
        for name in ("proc", "dev"):
            subprocess.run(["umount", "--recursive", self.path("/" + name)], check=True)
        for name in ("try_service.py", "try_units.sh"):
            shutil.copy(os.path.join(FOLDER, name), self.path("/opt"))
        # The folder of a unit with a dynamic user.
        self.write_night(STATE, "/var/lib/private/rewrought", "/etc/rewrought/night.textproto")
        unit = "/etc/systemd/system/rewrought-test.service"
        with open(self.path(unit), "w", encoding="utf-8") as file:
            file.write(TEST_UNIT)
        wants = self.path("/etc/systemd/system/multi-user.target.wants")
        os.makedirs(wants, exist_ok=True)
        os.symlink(unit, os.path.join(wants, os.path.basename(unit)))
        booted = self.run("boot", ["timeout", "--kill-after=10", str(SECONDS_TO_BOOT), "systemd-nspawn", "--quiet",
                                   "--register=no", "--keep-unit", "--private-network", "--directory", self.root, "--boot", "--console=pipe"])
        log = self.path("/var/log/try_units.log")
        return self.run("units", ["sh", "-c", 'cat "$0"; tail -n 1 "$0" | grep -qx "the units work"', log]) and booted


class BundleCheck(PackageCheck):
    def steps_of(self):
        bare = self.arguments.bare
        if not self.create(self.arguments.mirror, BARE_PACKAGES if bare else "", "extract" if bare else "minbase"):
            return False
        if bare:
            # Without Debian's essential packages, busybox provides all commands.
            subprocess.run(["chroot", self.root, "/bin/busybox", "--install", "-s", "/bin"], check=True)
        for name in ("proc", "dev", "tmp", "root", "etc"):
            os.makedirs(self.path("/" + name), exist_ok=True)
        self.mount()
        shutil.copyfile(self.arguments.file, self.path("/tmp/bundle.tar.gz"))
        if not self.inside("unpack", ["sh", "-c", "mkdir -p /opt && cd /opt && tar xzf /tmp/bundle.tar.gz && rm /tmp/bundle.tar.gz"]):
            return False
        names = os.listdir(self.path("/opt"))
        if len(names) != 1:
            return self.verify("one folder", ["the bundle contains " + name for name in names])
        program = "/opt/moved/bin/rewrought"
        # The bundle must work in any folder.
        os.rename(self.path("/opt/" + names[0]), self.path("/opt/moved"))
        return all([self.check_rules(program), self.serve(program, HOME),
                    self.night(HOME, HOME + "/night.textproto",
                               [program, "nightly", HOME + "/night.textproto", "--out", HOME + "/night"])])


class ImageCheck(PackageCheck):
    def steps_of(self):
        if not self.create(self.arguments.mirror, ""):
            return False
        # All images and containers are in the folder of the check.
        images, containers, context, storage = (os.path.join(self.folder, name) for name in IMAGE_FOLDERS)
        buildah = ["buildah", "--storage-driver", "vfs", "--root", images, "--runroot", containers]
        shutil.rmtree(context, ignore_errors=True)
        os.makedirs(context)
        shutil.copy(self.arguments.file, context)
        base = 'c=$("$@" from scratch) && "$@" add --quiet "$c" "$0" / && "$@" commit --quiet "$c" localhost/base'
        if not self.run("base image", ["sh", "-c", base, self.root] + buildah):
            return False
        if not self.run("build the image", buildah + ["build", "--isolation", "chroot", "--build-arg", "BASE=localhost/base",
                                                      "--file", os.path.join(FOLDER, "Containerfile"), "--tag", "rewrought",
                                                      context]):
            return False
        name = subprocess.run(buildah + ["from", "localhost/rewrought"], capture_output=True, text=True,
                              check=True).stdout.strip()
        config = json.loads(subprocess.run(buildah + ["inspect", name], capture_output=True, text=True,
                                           check=True).stdout)["OCIv1"]["config"]
        volume = list(config["Volumes"])[0]
        shutil.rmtree(storage, ignore_errors=True)
        os.makedirs(storage)
        os.chmod(storage, 0o777)
        run = buildah + ["run", "--isolation", "chroot", "--volume", storage + ":" + volume, name, "--"]
        program = config["Entrypoint"]
        results = [self.run("first verdict", expecting(1, run + program + ["check", REFUTED])),
                   self.run("verdict of both solvers", both_solvers(run + program)),
                   self.try_service(run + program, run + program + config["Cmd"])]
        missing = [] if os.path.exists(storage + "/rewrought.db") else ["the volume contains no database"]
        return self.verify("database in the volume", missing) and all(results)


CHECKS = {"deb": DebCheck, "systemd": SystemdCheck, "bundle": BundleCheck, "image": ImageCheck}


def parse(words):
    parser = argparse.ArgumentParser(prog="check.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=sorted(CHECKS), help="the kind of test")
    parser.add_argument("release", choices=release_check.RELEASES, help="the release of the file system")
    parser.add_argument("file", help="the package")
    parser.add_argument("--bare", action="store_true", help="with bundle: use a file system with only glibc and busybox")
    parser.add_argument("--keep", action="store_true", help="keep the file system")
    parser.add_argument("--folder", help="the folder for the file system and the logs (default: "
                        "out/package_check/KIND_RELEASE)")
    parser.add_argument("--mirror", help="the Debian mirror (default: the mirror that mmdebstrap chooses)")
    arguments = parser.parse_args(words)
    if arguments.bare and arguments.kind != "bundle":
        parser.error("--bare requires bundle")
    name = "_".join([arguments.kind, arguments.release] + (["bare"] if arguments.bare else []))
    arguments.folder = os.path.abspath(arguments.folder or os.path.join(REPOSITORY, "out", "package_check", name))
    arguments.env, arguments.ca, arguments.reuse = [], [], False
    return arguments


def problem_of(arguments):
    """Returns why the test cannot start, or None."""
    if not os.path.isfile(arguments.file):
        return "%s does not exist; build it with bazel build //packaging:deb //packaging:bundle" % arguments.file
    for kind, tool in (("image", "buildah"), ("systemd", "systemd-nspawn")):
        if arguments.kind == kind and not shutil.which(tool):
            return "%s is missing; run: tools/install_packages.sh --packaging" % tool
    return release_check.problem_of(arguments)


def check_inside(arguments):
    """Runs the steps in the new namespaces. Returns the exit status."""
    check = CHECKS[arguments.kind](arguments)
    try:
        status = 0 if check.steps_of() else 1
    except KeyboardInterrupt:
        status = release_check.INTERRUPTED
    size = os.path.getsize(arguments.file)
    print("\n".join(["", "%s (%.1f MB), Debian %s%s:" % (os.path.basename(arguments.file), size / 1e6, arguments.release,
                                                        ", bare" if arguments.bare else "")] +
                    release_check.table(check.steps)), flush=True)
    return status


def main(words):
    arguments = parse(words)
    if os.environ.get(release_check.INSIDE):
        return check_inside(arguments)
    problem = problem_of(arguments)
    if problem:
        print("check.py: " + problem, file=sys.stderr)
        return 2
    status = release_check.check_outside(arguments, words, __file__)
    if not arguments.keep:
        for name in IMAGE_FOLDERS:
            shutil.rmtree(os.path.join(arguments.folder, name), ignore_errors=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
