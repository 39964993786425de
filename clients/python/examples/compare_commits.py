#!/usr/bin/env python3
"""Compares the rules of a Mesa tree at two commits: lists the rules whose verdict changed, and the new rules.

usage: compare_commits.py REPOSITORY OLD NEW     OLD and NEW are commits, such as HEAD~1 and HEAD
Exit status: 1 if a rule became refuted, 0 otherwise.
"""
import os
import subprocess
import sys
import tempfile

import rewrought
from rewrought import AuditClass, Finding

RULES = "src/compiler/nir"


def audit_commit(client: rewrought.Client, repository: str, commit: str) -> dict[str, Finding]:
    """Audits the rules at a commit. Returns the findings by the id of the rule, which does not depend on its line."""
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(["git", "-C", repository, "archive", commit, RULES], check=True,
                                 stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        with client.audit(os.path.join(folder, RULES)) as run:
            return {finding.id: finding for finding in run.result().findings()}


def main(repository: str, old_commit: str, new_commit: str) -> int:
    with rewrought.Client.from_environment() as client:
        old, new = (audit_commit(client, repository, commit) for commit in (old_commit, new_commit))
    worse = 0
    for key, finding in new.items():
        before = old[key].audit_class if key in old else "new"
        if before == finding.audit_class:
            continue
        worse += finding.audit_class is AuditClass.REFUTED
        print("%s:%d: %s -> %s: %s" % (
            os.path.basename(finding.file), finding.line, before, finding.audit_class, finding))
    for key in old.keys() - new.keys():
        print("gone: %s" % old[key])
    return 1 if worse else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
