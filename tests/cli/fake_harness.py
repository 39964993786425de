#!/usr/bin/env python3
"""Stands in for tools/driver_rig/matcher_harness.py: reports that every rule agrees unless it contains $DIFFERS."""
import argparse
import json
import os

import pack_text

parser = argparse.ArgumentParser()
for option in ("--tree", "--rules", "--shaders", "--json"):
    parser.add_argument(option, required=True)
args = parser.parse_args()
with open(os.path.join(args.rules, "nir.py"), encoding="utf-8") as file:
    tuples = list(pack_text.tuples_with_ids(file.read()))
differs = os.environ.get("DIFFERS", "no rule contains this text")
rules = [{"id": identity, "text": text, "shaders": int(args.shaders), "shader": 7,
          "verdict": "differs (mixed flags)" if differs in text else "agrees"} for _, identity, text in tuples]
print("the harness's report")
with open(args.json, "w", encoding="utf-8") as file:
    json.dump({"rules": rules}, file)
