"""Checks, evaluates, and improves rewrite rules for GPU shader compilers with Rewrought.

    import rewrought

    with rewrought.Client() as client:
        verdict = client.check("(('fadd', a, ('fneg', a)), 0.0)")
        print(verdict.status, verdict.counterexample)

`Client` describes all calls. docs/service.md describes the service.
"""
from __future__ import annotations

from ._connect import Stream
from .audits import (Audit, AuditClass, AuditCount, AuditPass, AuditProgress, AuditRun, Finding, FindingDetails,
                     FindingValue)
from .client import Client
from .errors import (Aborted, Canceled, DeadlineExceeded, Error, FailedPrecondition, Internal, InvalidArgument,
                     NotFound, PermissionDenied, ProgramError, ResourceExhausted, Unauthenticated, Unavailable,
                     Unimplemented)
from .packs import (Axis, BlockedRule, BuildProgress, Confirmation, CorpusSummary, EffectRow, MutantCounts, Pack,
                    PackDifference, PackEntry, PackFile, PackFinding, PackManifest, PackVerification, PackWaiver,
                    VerificationProgress)
from .rule_text import RuleText, read_rules, split_rules
from .rules import (ConstantCondition, CorpusSplit, DriverNumber, DroppedPrecondition, Generalisation, Listing, Machine,
                    ModelledEffect, NodeFlag, NoTime, Precondition, Provenance, Rule, RuleClass, RuleDetails, RuleHit,
                    RuleMatch, RuleMeasurement, RuleOrder, RuleState, RuleTrial, Stages, TrialEffect, TrialExample,
                    TrialPlace)
from .verdicts import (AccuracyClass, AssumptionSet, CaseVerdict, DenormMode, Dialect, Evaluation, Improvement,
                       InexactStatement, NodeValue, ProgramCost, RuleError, RuleVerdict, Tier, Verdict, Witness,
                       bits_of, float_of)

__all__ = [
    "Aborted", "AccuracyClass", "AssumptionSet", "Audit", "AuditClass", "AuditCount", "AuditPass", "AuditProgress",
    "AuditRun", "Axis", "BlockedRule", "BuildProgress", "Canceled", "CaseVerdict", "Client", "Confirmation",
    "ConstantCondition", "CorpusSplit", "CorpusSummary", "DeadlineExceeded", "DenormMode", "Dialect",
    "DriverNumber", "DroppedPrecondition", "EffectRow", "Error", "Evaluation", "FailedPrecondition", "Finding",
    "FindingDetails", "FindingValue", "Generalisation", "Improvement", "InexactStatement", "Internal",
    "InvalidArgument", "Listing", "Machine", "ModelledEffect", "MutantCounts", "NoTime", "NodeFlag", "NodeValue",
    "NotFound", "Pack", "PackDifference", "PackEntry", "PackFile", "PackFinding", "PackManifest",
    "PackVerification", "PackWaiver", "PermissionDenied", "Precondition", "ProgramCost", "ProgramError",
    "Provenance", "ResourceExhausted", "Rule", "RuleClass", "RuleDetails", "RuleError", "RuleHit", "RuleMatch",
    "RuleMeasurement", "RuleOrder", "RuleState", "RuleText", "RuleTrial", "RuleVerdict", "Stages", "Stream", "Tier",
    "TrialEffect", "TrialExample", "TrialPlace", "Unauthenticated", "Unavailable", "Unimplemented", "Verdict",
    "VerificationProgress", "Witness", "bits_of", "float_of", "read_rules", "split_rules",
]


def __getattr__(name: str) -> str:
    """Returns the version of the installed package as `__version__`."""
    if name != "__version__":
        raise AttributeError(name)
    import importlib.metadata
    return importlib.metadata.version("rewrought")
