"""Provides the rig's commands with the table of drivers, the drivers' environment, and a display of their progress.

drivers.toml describes how to build and start each driver, and statistics.toml describes how to parse its messages.
"""
import fcntl
import hashlib
import os
import sys
import time
import tomllib

FOLDER = os.path.dirname(os.path.abspath(__file__))
REPOSITORY = os.path.normpath(os.path.join(FOLDER, "..", ".."))
# An installed rig has no repository, and its own folder is read-only.
DEFAULT_OUT = os.path.join(REPOSITORY if os.path.exists(os.path.join(REPOSITORY, "WORKSPACE")) else os.getcwd(),
                           "out", "driver_rig")


class UserError(Exception):
    """An error that the user can fix; the text says how."""


def load_table(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return tomllib.load(file)


def load_drivers():
    return load_table("drivers.toml")["driver"]


def names(drivers):
    return [driver["name"] for driver in drivers]


def select(drivers, wanted):
    """Returns the rows with these names in the table's order, or all rows if wanted is empty. Raises UserError for
    an unknown name."""
    if not wanted:
        return drivers
    unknown = sorted(set(wanted) - set(names(drivers)))
    if unknown:
        raise UserError(f"no driver {', '.join(unknown)}; the drivers are {', '.join(names(drivers))}")
    return [driver for driver in drivers if driver["name"] in wanted]


def build_stages(drivers, plain, has_clc):
    """Returns the lists of drivers to build, one after the other. `plain` contains those that do not need mesa_clc. They
    are built first, so that they are usable even if building mesa_clc, which needs LLVM, fails. If mesa_clc exists, one
    build contains all drivers, so that Mesa's options do not change."""
    if len(plain) == len(drivers):
        return [plain] if plain else []
    return [drivers] if has_clc or not plain else [plain, drivers]


def api(driver):
    """Returns the API through which the rig uses the driver: "gl" or "vulkan"."""
    return "vulkan" if "vulkan" in driver else "gl"


def runner(driver, build):
    """Returns the path of the driver's runner."""
    return os.path.join(build, "runner-vulkan" if api(driver) == "vulkan" else "runner")


def check_built(driver, build):
    """Raises UserError if the build folder lacks a file that the driver needs."""
    parts = [os.path.join(build, "build", driver[key]) for key in ("shim", "library") if key in driver]
    if not all(map(os.path.exists, parts + [runner(driver, build)])):
        raise UserError(f"{driver['name']} is not built; start tools/driver_rig/build --drivers {driver['name']} "
                        f"--out {build}")


def build_id(build):
    """Returns a hash of the driver libraries, which identifies the build. All OpenGL drivers share one library; each
    Vulkan driver has its own."""
    folder = os.path.join(build, "build/src/gallium/targets/dri")
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.startswith("libgallium") and
             name.endswith(".so")][:1] if os.path.isdir(folder) else []
    libraries = {os.path.join(build, "build", driver["library"]) for driver in load_drivers() if "library" in driver}
    paths += sorted(filter(os.path.exists, libraries))
    if not paths:
        raise UserError(f"{build} has no drivers; start tools/driver_rig/build --out {build}")
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                digest.update(part)
    return digest.hexdigest()[:16]


def hold(build):
    """Prevents builds in the folder until this process exits or the returned file is closed. Several processes may
    hold the folder at the same time. Raises UserError while a build is running there."""
    try:
        file = open(os.path.join(build, "lock"), "a", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{build} has no drivers ({error.strerror}); start tools/driver_rig/build --out {build}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UserError(f"a build is using {build}; wait for it, or use another --build") from None
    return file


def environment(driver, out):
    """Returns the environment variables for the driver's runner in the build folder out."""
    build = os.path.join(out, "build")
    folders = [os.path.join(build, "src", part) for part in
               ("egl", "gbm", "mapi/shared-glapi", "gallium/targets/dri")]
    folders.append(os.path.join(out, "sysroot", "usr/lib/x86_64-linux-gnu"))
    env = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")}
    env.update({
        "LD_LIBRARY_PATH": os.pathsep.join(folders),
        "GBM_BACKENDS_PATH": os.path.join(build, "src/gbm/backends/dri"),
        "LIBGL_DRIVERS_PATH": os.path.join(build, "src/gallium/targets/dri"),
        "MESA_SHADER_CACHE_DISABLE": "true",
        "GALLIUM_THREAD": "0",  # a threaded context drops the messages of synchronous compilers
    })
    if "shim" in driver:
        env["LD_PRELOAD"] = os.path.join(build, driver["shim"])
    if "library" in driver:
        env["RIG_VULKAN"] = os.path.join(build, driver["library"])
    env.update(driver.get("environment", {}))
    return env


class Progress:
    """Prints the progress of `command` for one driver: on one line of a terminal, or a line every ten seconds if there
    is no terminal."""

    def __init__(self, command, driver):
        self.command, self.driver, self.shown = command, driver, 0.0

    def __call__(self, what, done=None, total=None):
        terminal = sys.stderr.isatty()
        if done is None:
            print(f"{self.command}: {self.driver}: {what}", file=sys.stderr, flush=True)
        elif done == total or time.time() - self.shown > (0.3 if terminal else 10):
            self.shown = time.time()
            print(f"{self.command}: {self.driver}: {what}: {done} of {total}    ",
                  end="\r" if terminal and done < total else "\n", file=sys.stderr, flush=True)
