"""Assembles the PTX of every row with NVIDIA's ptxas, for each listed architecture. This test is run by hand, because
Debian has no package of the toolkit.

    bazel test //tools/silicon:ptxas_test            # $PTXAS, or ptxas on the path or in /usr/local/cuda/bin
"""
import os
import shutil
import subprocess
import sys
import tempfile

ARCHITECTURES = ("sm_75", "sm_80", "sm_90")


def main(program):
    ptxas = os.environ.get("PTXAS") or shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if ptxas is None:
        print("ptxas not found; set PTXAS")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        module = os.path.join(folder, "all.ptx")
        subprocess.run([program, "--ptx", module], check=True)
        for architecture in ARCHITECTURES:
            subprocess.run([ptxas, "-arch", architecture, module, "-o", os.path.join(folder, "all.cubin")], check=True)
            print("%s: assembled" % architecture)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
