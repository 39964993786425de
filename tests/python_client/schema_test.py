"""Compares the dataclasses and enums of the Python library with the schemas, so that a new field or value is not
missed.

usage: schema_test.py
"""
import collections.abc
import dataclasses
import datetime
import enum
import os
import subprocess
import sys
import tempfile
import types
import typing
import unittest

from google.protobuf import descriptor_pb2, descriptor_pool

sys.path.insert(0, os.path.join(os.getcwd(), "clients/python"))
import rewrought  # noqa: E402 pylint: disable=wrong-import-position
from rewrought import _decode, rules  # noqa: E402 pylint: disable=wrong-import-position

# The message of each dataclass whose name differs from that of its message.
MESSAGES = {
    "NodeValue": "ExplainedNode", "Rule": "RewriteRule", "Evaluation": "EvaluateResponse.Result",
    "Improvement": "ImproveResponse", "ConstantCondition": "Generalisation.Constant",
    "Precondition": "Generalisation.Precondition", "TrialEffect": "RuleTrial.Effect", "TrialPlace": "RuleTrial.Place",
    "TrialExample": "RuleTrial.Example", "NoTime": "RuleTrial.NoTime", "ModelledEffect": "RuleTrial.Modelled",
    "RuleDetails": "GetRuleResponse", "RuleMatch": "SearchRulesResponse.Match", "RuleHit": "ListRuleHitsResponse.Hit",
    "Listing": "GetAssemblyResponse.Listing", "DroppedPrecondition": "DropPreconditionsResponse",
    "Machine": "ListMachinesResponse.Summary", "BlockedRule": "GetPackResponse.Blocked",
    "PackFinding": "VerifyPackResponse.Finding", "PackVerification": "VerifyPackResponse",
    "VerificationProgress": "WatchPackVerificationResponse", "PackDifference": "DiffPacksResponse.Difference",
    "Pack": "PackSummary", "BuildProgress": "BuildPackResponse", "AuditPass": "Audit.Pass", "Finding": "AuditFinding",
    "FindingValue": "GetAuditFindingResponse.NodeValue", "FindingDetails": "GetAuditFindingResponse",
}
ENUMS = {"Axis": "Confirmation.Axis", "Stages": "RuleTrial.Stages"}
# Dataclasses that are not messages.
OTHERS = {"RuleText", "AuditProgress"}
# Fields that the library leaves out: terms are for the web UI, and certificates are files that other tools read.
OMITTED = {
    "CaseVerdict": {"certificate", "search_term", "replace_term"},
    "RewriteRule": {"search_term", "replace_term"},
    "RuleTrial": {"cycles"},  # deprecated
    "RuleTrial.Effect": {"cycles"},  # deprecated
}


def load_schemas():
    """Returns a pool that contains all schemas."""
    folder = "proto/rewrought/v1/"
    with tempfile.TemporaryDirectory() as out:
        path = os.path.join(out, "set")
        schemas = sorted(folder + name for name in os.listdir(folder) if name.endswith(".proto"))
        subprocess.run(["protoc", "-I.", "--include_imports", "--descriptor_set_out=" + path] + schemas, check=True)
        with open(path, "rb") as file:
            files = descriptor_pb2.FileDescriptorSet.FromString(file.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


def classes(kind):
    def is_of_kind(one):
        return issubclass(one, enum.Enum) if kind is enum.Enum else dataclasses.is_dataclass(one)
    return {name: one for name, one in vars(rewrought).items() if isinstance(one, type) and is_of_kind(one)}


class SchemaTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pool = load_schemas()

    def message(self, name):
        return self.pool.FindMessageTypeByName("rewrought.v1." + MESSAGES.get(name, name))

    def test_fields(self):
        checked = 0
        for name, kind in classes(object).items():
            if name in OTHERS:
                continue
            message = self.message(name)
            omitted = OMITTED.get(MESSAGES.get(name, name), set())
            expected = {one.json_name: one for one in message.fields if one.name not in omitted}
            hints = typing.get_type_hints(kind)
            fields = {_decode.json_name(one): hints[one.name] for one in dataclasses.fields(kind)
                      if _decode.json_name(one) is not None}
            self.assertEqual(set(fields), set(expected), name)
            for json_name, hint in fields.items():
                with self.subTest(message=name, field=json_name):
                    self.check_type(hint, expected[json_name])
                    checked += 1
        self.assertGreater(checked, 200)

    def check_type(self, hint, field):
        repeated = field.label == field.LABEL_REPEATED
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            self.assertIs(typing.get_origin(hint), collections.abc.Mapping)
            return self.check_single(typing.get_args(hint)[1], field.message_type.fields_by_name["value"])
        if repeated:
            self.assertIs(typing.get_origin(hint), tuple)
            return self.check_single(typing.get_args(hint)[0], field)
        if typing.get_origin(hint) in (typing.Union, types.UnionType):
            self.assertTrue(field.has_presence or field.enum_type is not None, "the field is never absent")
            (hint,) = [one for one in typing.get_args(hint) if one is not type(None)]
        elif field.has_presence and field.message_type is None:
            self.fail("an optional field must be None if it is absent")
        return self.check_single(hint, field)

    def check_single(self, hint, field):
        if field.enum_type is not None:
            self.assertTrue(issubclass(hint, enum.Enum))
            self.assertEqual(field.enum_type.full_name, "rewrought.v1." + ENUMS.get(hint.__name__, hint.__name__))
        elif field.message_type is not None:
            known = {"google.protobuf.Timestamp": datetime.datetime, "google.protobuf.Duration": datetime.timedelta}
            if field.message_type.full_name in known:
                self.assertIs(hint, known[field.message_type.full_name])
            else:
                self.assertEqual(field.message_type.full_name, self.message(hint.__name__).full_name)
        else:
            kinds = {field.CPPTYPE_STRING: str, field.CPPTYPE_BOOL: bool, field.CPPTYPE_DOUBLE: float}
            self.assertIs(hint, kinds.get(field.cpp_type, int))

    def test_enums(self):
        kinds = classes(enum.Enum)
        self.assertGreater(len(kinds), 10)
        for name, kind in kinds.items():
            values = self.pool.FindEnumTypeByName("rewrought.v1." + ENUMS.get(name, name)).values
            self.assertEqual([_decode.enum_json(one) for one in kind], [one.name for one in values if one.number != 0])

    def test_methods(self):
        """Each method of the services that the library covers is called somewhere in it."""
        source = ""
        folder = os.path.dirname(rules.__file__)
        for name in sorted(os.listdir(folder)):
            if name.endswith(".py"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    source += file.read()
        omitted = {"VerifyPack", "GetMachine"}  # WatchPackVerification replaces the first
        for service in ("AuditService", "CheckService", "EvalService", "ImproveService", "MachineService",
                        "PackService", "RuleService"):
            for method in self.pool.FindServiceByName("rewrought.v1." + service).methods:
                if method.name not in omitted:
                    self.assertIn('"%s/%s"' % (service, method.name), source)


if __name__ == "__main__":
    unittest.main()
