"""What the rig's commands share: the table of drivers and their environment.

drivers.toml says how each driver is built and started, statistics.toml how its messages are read.
"""
import fcntl
import hashlib
import os
import tomllib

FOLDER = os.path.dirname(os.path.abspath(__file__))
DEFAULT_OUT = os.path.normpath(os.path.join(FOLDER, "..", "..", "out", "driver_rig"))


class UserError(Exception):
    """What a user can mend; the text says how."""


def load_table(name):
    with open(os.path.join(FOLDER, name), "rb") as file:
        return tomllib.load(file)


def load_drivers():
    return load_table("drivers.toml")["driver"]


def names(drivers):
    return [driver["name"] for driver in drivers]


def select(drivers, wanted):
    """The rows of these names, in the table's order; all without names. Raises UserError for an unknown one."""
    if not wanted:
        return drivers
    unknown = sorted(set(wanted) - set(names(drivers)))
    if unknown:
        raise UserError(f"no driver {', '.join(unknown)}; there are {', '.join(names(drivers))}")
    return [driver for driver in drivers if driver["name"] in wanted]


def build_id(build):
    """Names the build: a hash of the drivers' library."""
    folder = os.path.join(build, "build/src/gallium/targets/dri")
    names = [name for name in sorted(os.listdir(folder)) if name.startswith("libgallium") and name.endswith(".so")] \
        if os.path.isdir(folder) else []
    if not names or not os.path.exists(os.path.join(build, "runner")):
        raise UserError(f"{build} has no drivers; start tools/driver_rig/build --out {build}")
    with open(os.path.join(folder, names[0]), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def hold(build):
    """Keeps the drivers as they are: no build begins in the folder until this process ends, or the answer is closed.
    Others may hold it as well. Raises UserError while a build works there."""
    try:
        file = open(os.path.join(build, "lock"), "a", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{build} has no drivers ({error.strerror}); start tools/driver_rig/build --out {build}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise UserError(f"a build works in {build}; wait for it, or name another folder with --build") from None
    return file


def environment(driver, out):
    """The variables under which the runner in the build folder out meets this driver."""
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
        "LD_PRELOAD": os.path.join(build, driver["shim"]),
    })
    env.update(driver.get("environment", {}))
    return env
