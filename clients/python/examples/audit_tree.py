#!/usr/bin/env python3
"""Audits a Mesa tree and lists the refuted rules, with inputs that show each fault and a change that corrects the rule.

usage: audit_tree.py mesa/src/compiler/nir
Exit status: 1 if a rule is refuted, 0 otherwise. After Ctrl-C, the same command resumes the audit.
"""
import sys

import rewrought
from rewrought import AuditClass


def main(*paths: str) -> int:
    with rewrought.Client.from_environment() as client, client.audit(*paths, suggest_fixes=True) as run:
        for progress in run:
            print("%d of %d rules" % (progress.done, progress.rules), file=sys.stderr)
        audit = run.result()
        for finding in audit.findings([AuditClass.REFUTED]):
            details = audit.details(finding)
            print("%s:%d: %s" % (finding.file, finding.line, finding))
            print("    wrong for %s" % details.counterexample)
            print("    %s" % (details.suggested_fix or "no correction was found"))
        print("%d rules: %s" % (audit.rules, ", ".join("%d %s" % (one.rules, one.audit_class) for one in audit.counts)))
        return 1 if audit.count(AuditClass.REFUTED) else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
