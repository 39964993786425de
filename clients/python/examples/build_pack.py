#!/usr/bin/env python3
"""Builds a pack from the rules of a machine, proves all its rules again, and writes its files to a folder.

usage: build_pack.py MACHINE FOLDER
The database is the server's or, without a server, the one that REWROUGHT_DATABASE names.
Exit status: 1 if the verification finds a problem, 0 otherwise.
"""
import os
import sys

import rewrought


def main(machine: str, folder: str) -> int:
    with rewrought.Client.from_environment() as client:
        pack = client.build_pack(machine).result().pack
        assert pack is not None
        print("%s: %d rules for %s" % (pack.name, pack.rules, pack.machine))
        for entry in pack.entries():
            print("    %s, confirmed by %s" % (entry.rule, ", ".join(one.by.split()[0] for one in entry.confirmations)))
        for progress in pack.verify():
            print("%d of %d rules proved again" % (progress.rules_done, progress.rules), file=sys.stderr)
        verification = progress.result
        assert verification is not None
        for finding in verification.findings:
            print("problem: %s %s: %s" % (finding.entry, finding.file, finding.what))
        print("%d of %d rules proved again, %d problems" % (
            verification.rules_proved, verification.rules, verification.total))
        for file in pack.manifest().files:
            path = os.path.join(folder, file.name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as output:
                output.write(pack.read(file.name))
            print("wrote %s" % file.name)
    return 1 if verification.total else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
