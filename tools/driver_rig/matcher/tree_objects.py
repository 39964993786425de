"""Compiles the parts of a Mesa tree that the matcher harness needs: libnir's matcher, constant folding, and utilities.

The harness needs only a twentieth of Mesa, so this module runs the tree's generators and the compiler directly instead
of configuring all of Mesa. Later calls reuse the objects in the build folder.
"""
import concurrent.futures
import hashlib
import os
import shutil
import subprocess

# The distribution's python3 can import mako.
PYTHON = "/usr/bin/python3"
COMPILER = ["nice", "-n", "5", "gcc"]

# The generators of a tree: (script, arguments, generated file). `{out}` stands for the generated file and `{folder}` for
# its folder.
# A generator without `{out}` or `{folder}` among its arguments writes to the standard output.
GENERATORS = [
    ("src/compiler/nir/nir_builder_opcodes_h.py", [], "nir_builder_opcodes.h"),
    ("src/compiler/nir/nir_constant_expressions.py", [], "nir_constant_expressions.c"),
    ("src/compiler/nir/nir_opcodes_h.py", [], "nir_opcodes.h"),
    ("src/compiler/nir/nir_opcodes_c.py", [], "nir_opcodes.c"),
    ("src/compiler/nir/nir_intrinsics_h.py", ["--outdir", "{folder}"], "nir_intrinsics.h"),
    ("src/compiler/nir/nir_intrinsics_indices_h.py", ["--outdir", "{folder}"], "nir_intrinsics_indices.h"),
    ("src/compiler/nir/nir_intrinsics_c.py", ["--outdir", "{folder}"], "nir_intrinsics.c"),
    ("src/compiler/builtin_types_h.py", ["{out}"], "builtin_types.h"),
    ("src/compiler/builtin_types_c.py", ["{out}"], "builtin_types.c"),
    ("src/util/format/u_format_table.py", ["{tree}/src/util/format/u_format.yaml", "--enums"],
     "util/format/u_format_gen.h"),
]
GENERATED_SOURCES = ["nir_constant_expressions.c", "nir_opcodes.c", "nir_intrinsics.c", "builtin_types.c"]
SOURCES = [
    "src/compiler/" + name for name in
    ["glsl_types.c", "shader_enums.c"] + ["nir/nir" + part + ".c" for part in [
        "", "_builder", "_clone", "_control_flow", "_deref", "_divergence_analysis", "_dominance", "_gather_types",
        "_instr_set", "_liveness", "_loop_analyze", "_lower_io", "_metadata", "_opt_cse", "_opt_dce", "_print",
        "_range_analysis", "_search", "_sweep", "_validate", "_worklist"]]
] + ["src/util/" + name for name in [
    "bitscan.c", "blob.c", "dag.c", "double.c", "fast_idiv_by_const.c", "futex.c", "half_float.c", "hash_table.c",
    "log.c", "memstream.c", "mesa-blake3.c", "mesa-sha1.c", "os_misc.c", "ralloc.c", "rb_tree.c", "set.c",
    "sha1/sha1.c", "simple_mtx.c", "softfloat.c", "string_buffer.c", "strtod.c", "os_file.c", "u_call_once.c", "u_cpu_detect.c",
    "u_debug.c", "u_dynarray.c", "u_math.c", "u_printf.c", "u_qsort.cpp", "u_thread.c", "u_vector.c", "u_worklist.c"]]
# Further sources of a dialect: in Mesa 26, the matcher folds the replacement.
DIALECT_SOURCES = {
    "nir25": [],
    "nir26": ["src/compiler/nir/nir_dominance_lca.c", "src/compiler/nir/nir_opt_constant_folding.c", "src/util/float8.c",
              "src/util/range_minimum_query.c"],
}
# Functions that the sources above reference but that no algebraic pass calls; the linker defines them as 0.
UNCALLED = ["nir_lower_doubles_op_to_options_mask", "nir_lower_int64_op_to_options_mask",
            "util_format_description"]

# The macros that Meson defines on Linux with GCC. Assertions stay enabled, because a failed assertion exposes a faulty
# rule.
DEFINES = ["-D" + name for name in (
    "_GNU_SOURCE HAVE_PTHREAD UTIL_ARCH_LITTLE_ENDIAN=1 UTIL_ARCH_BIG_ENDIAN=0 HAVE_STRUCT_TIMESPEC "
    "HAVE___BUILTIN_UNREACHABLE HAVE___BUILTIN_EXPECT HAVE___BUILTIN_CLZ HAVE___BUILTIN_CLZLL HAVE___BUILTIN_CTZ "
    "HAVE___BUILTIN_FFS HAVE___BUILTIN_FFSLL HAVE___BUILTIN_POPCOUNT HAVE___BUILTIN_POPCOUNTLL "
    "HAVE_FUNC_ATTRIBUTE_PACKED HAVE_FUNC_ATTRIBUTE_UNUSED HAVE_FUNC_ATTRIBUTE_FORMAT HAVE_TIMESPEC_GET "
    "HAVE_SECURE_GETENV HAVE_STRTOD_L HAVE_SYSCONF HAVE_ENDIAN_H HAVE_C99_MATH MESA_DEBUG=0").split()]
# Constant folding must compute exactly what the source states, so the compiler must not contract floating-point
# operations, and signed overflow must wrap.
FLAGS = ["-O2", "-w", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off", "-fwrapv", "-ffunction-sections",
         "-fdata-sections", '-DPACKAGE_VERSION="harness"'] + DEFINES
INCLUDES = ["src", "include", "src/compiler/nir", "src/compiler", "src/util", "src/mesa", "src/gallium/include",
            "src/gallium/auxiliary"]


class BuildError(Exception):
    """A compiler or generator failed; the text contains its output."""


def version_of(tree):
    """Returns the version of a Mesa tree, for example "25.0.7"."""
    try:
        with open(os.path.join(tree, "VERSION"), encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        raise BuildError(f"{tree} is not a Mesa source tree: it has no file VERSION") from None


def dialect_of(tree):
    """Returns the name of the harness's files for the dialect of a Mesa tree: "nir25" or "nir26" (docs/nir26.md)."""
    try:
        with open(os.path.join(tree, "src/compiler/nir/nir_opcodes.py"), encoding="utf-8") as file:
            return "nir26" if "valid_fp_math_ctrl" in file.read() else "nir25"
    except OSError:
        raise BuildError(f"{tree} is not a Mesa source tree: it has no src/compiler/nir/nir_opcodes.py") from None


def include_flags(tree, folder):
    """Returns the include options for code that is compiled against the tree and its generated headers."""
    generated = os.path.join(folder, "generated")
    return ["-I" + generated, "-I" + os.path.join(generated, "util/format")] + \
        ["-I" + os.path.join(tree, part) for part in INCLUDES]


def run(command, **kwargs):
    """Runs a command and returns its standard output. Raises BuildError if the command fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
                          check=False, **kwargs)
    if done.returncode:
        raise BuildError(f"{' '.join(command)} failed (exit {done.returncode}):\n{done.stderr[-3000:]}")
    return done.stdout


def accepts_out(script):
    """Returns whether a generator requires the path of its output, as in Mesa 26, instead of the folder."""
    with open(script, encoding="utf-8") as file:
        return "'--out'," in file.read()


def generate(tree, folder):
    """Writes the generated sources of the tree into folder/generated."""
    out_folder = os.path.join(folder, "generated")
    os.makedirs(os.path.join(out_folder, "util/format"), exist_ok=True)
    for script, arguments, name in GENERATORS:
        out = os.path.join(out_folder, name)
        filled = [one.format(out=out, folder=out_folder, tree=tree) for one in arguments]
        if filled[:1] == ["--outdir"] and accepts_out(os.path.join(tree, script)):
            filled = ["--out", out]
        printed = run([PYTHON, "-B", os.path.join(tree, script)] + filled)
        if not {"{out}", "{folder}"} & set(arguments):
            with open(out, "w", encoding="utf-8") as file:
                file.write(printed)


def compile_one(source, target, includes):
    """Compiles one source file unless its object file exists. An object file appears only once it is complete."""
    if os.path.exists(target):
        return
    standard = ["-std=gnu++17"] if source.endswith(".cpp") else ["-std=gnu11"]
    run(COMPILER + standard + FLAGS + includes + ["-c", source, "-o", f"{target}.{os.getpid()}"])
    os.replace(f"{target}.{os.getpid()}", target)


def build_tree(tree, folder, jobs):
    """Builds the archive of the tree's objects in folder and returns its path. Does nothing if the archive is up to
    date."""
    archive, stamp = os.path.join(folder, "tree.a"), os.path.join(folder, "stamp")
    all_sources = SOURCES + DIALECT_SOURCES[dialect_of(tree)]
    inputs = (os.path.abspath(tree), version_of(tree), FLAGS, all_sources, GENERATORS)
    key = hashlib.sha256(repr(inputs).encode()).hexdigest()
    if os.path.exists(archive) and os.path.exists(stamp):
        with open(stamp, encoding="utf-8") as file:
            if file.read() == key:
                return archive
    shutil.rmtree(os.path.join(folder, "objects"), ignore_errors=True)
    os.makedirs(os.path.join(folder, "objects"))
    generate(tree, folder)
    sources = [os.path.join(folder, "generated", name) for name in GENERATED_SOURCES] + \
        [path for path in (os.path.join(tree, name) for name in all_sources) if os.path.exists(path)]
    targets = [os.path.join(folder, "objects", os.path.basename(source) + ".o") for source in sources]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(compile_one, sources, targets, [include_flags(tree, folder)] * len(sources)))
    run(["ar", "rcs", archive + ".new"] + targets)
    os.replace(archive + ".new", archive)
    with open(stamp, "w", encoding="utf-8") as file:
        file.write(key)
    return archive
