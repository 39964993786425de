"""Computes the savings of each rule of a trial according to the machine model: the rule is applied alone, to whole
shaders, on the driver's NIR at the places of its passes.

Runs `rewrought select --each-rule` on the driver's NIR (tools/driver_rig/run --nir). This command applies the driver
tree's own rules after each rule. Comparing the results with the driver's numbers shows how accurate a machine
description is.
"""
import glob
import hashlib
import json
import os
import shutil
import subprocess

import results
import rig

FOLDER = os.path.dirname(os.path.abspath(__file__))
# The NIR dump (places.toml) for each place. No dump exists after the late passes, so after_late uses the one before
# them.
DUMPS = {"main_rest": "main", "before_ffma": "before_ffma", "before_late": "late", "after_late": "late"}


def machine_of(driver):
    """Returns the machine description that models the driver, or the most similar one; None if there is none."""
    return driver.get("machine") or driver.get("model")


def dump_nir(args, driver, build, folder):
    """Writes the driver's NIR of --shaders to the folder, resuming a stopped run."""
    kept = os.path.join(folder, "results.jsonl")
    if os.path.exists(kept) and results.read(kept)[0]["build"] != build:
        shutil.rmtree(folder)
    command = [os.path.join(FOLDER, "run"), "--driver", driver["name"], "--shaders", *args.shaders, "--nir", folder,
               "--build", args.build, "--jobs", str(args.jobs), "--watchdog", str(args.watchdog)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        if process.wait():
            raise rig.UserError("writing the driver's NIR failed, see above")
    finally:
        process.terminate()  # run stops its own runners on SIGTERM
        process.wait()


def read_rules(path):
    """Reads the output of `rewrought select --each-rule --json` as {rule: (times applied, change of instructions)}."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {row["rule"]: (row["applied"], row["instructions"]) for row in rows if "rule" in row}


def arguments_of(dump, driver, tree):
    """Returns the options of `rewrought select` for the place and the driver. tree: src/compiler/nir, or None."""
    told = ["--baseline", tree] if tree else []
    if tree and dump == DUMPS["before_late"]:
        told.append("--late")  # before this place, drivers run their main loop again (elk_nir.c, elk_postprocess_nir)
    return told + (["--constants-free"] if driver.get("constants_free") else [])


def select(args, driver, nir, path):
    """Runs the model on all dumps, with up to --jobs processes. Returns {dump: read_rules}."""
    rules = glob.glob(os.path.join(args.build, "mesa-*", "src", "compiler", "nir", "nir_opt_algebraic.py"))
    packs = [folder for pack in args.pack for folder in (pack, os.path.join(pack, "inexact"))
             if os.path.exists(os.path.join(folder, "pack.json"))]
    todo = [dump for dump in dict.fromkeys(DUMPS.values()) if os.path.isdir(os.path.join(nir, dump))]
    working, found = [], {}
    try:
        while todo or working:
            while todo and len(working) < args.jobs:
                dump = todo.pop(0)
                target = path(f"model.{dump}.jsonl")
                command = [args.model, "select", os.path.join(nir, dump), "--machine", machine_of(driver),
                           "--each-rule", "--json"]
                command += [word for pack in packs for word in ("--pack", pack)]
                command += arguments_of(dump, driver, os.path.dirname(rules[0]) if rules else None)
                with open(target, "w", encoding="utf-8") as file:
                    working.append((dump, target, subprocess.Popen(command, stdout=file)))
            dump, target, process = working[0]
            if process.wait():
                raise rig.UserError(f"rewrought select failed with exit status {process.returncode} on "
                                    f"{os.path.join(nir, dump)}")
            found[dump] = read_rules(target)
            os.remove(target)
            working.pop(0)
    finally:
        for _, target, process in working:
            process.kill()
            process.wait()
            os.remove(target)
    return found


def head_of(args, driver, build, rules, found):
    """Returns the identity of everything that the model's results depend on."""
    with open(args.model, "rb") as file:
        program = hashlib.file_digest(file, "sha256")
    shaders = hashlib.sha256("".join(f"{one.name} {one.hash}\n" for one in found).encode())
    told = {dump: arguments_of(dump, driver, "tree") for dump in DUMPS.values()}
    return {"machine": machine_of(driver), "told": told, "build": build, "rules": [rule.id for rule in rules],
            "program": program.hexdigest(), "shaders": shaders.hexdigest()}


def answers(args, driver, rules, build, found, path, say):
    """Returns {dump: {rule: (times applied, change of instructions)}}, read from an earlier trial's file if nothing
    changed.

    found: the programs below args.shaders. path: maps a suffix to the path of this driver's file. Raises rig.UserError
    or OSError if the NIR or the results cannot be computed.
    """
    machine = machine_of(driver)
    if not machine:
        raise rig.UserError(f"no machine description models {driver['name']}; set model in drivers.toml")
    head, kept = head_of(args, driver, build, rules, found), path("model.json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            document = json.load(file)
        if document["head"] == head:
            return document["dumps"]
    folder = path("nir")
    say("writing the NIR of all shaders")
    dump_nir(args, driver, build, folder)
    say(f"selecting whole shaders with the model of {machine}")
    dumps = select(args, driver, os.path.join(folder, driver["name"]), path)
    with open(kept + ".new", "w", encoding="utf-8") as file:
        json.dump({"head": head, "dumps": dumps}, file)
    os.replace(kept + ".new", kept)
    shutil.rmtree(folder)
    return dumps


def add(dumps, machine, figures, rows):
    """Adds the model's results to a DriverTrial and its rows (proto/rewrought/v1/rule.proto)."""
    figures["modelled_as"] = machine
    for row in rows:
        said = [(place, dumps[dump][row["rule"]]) for place, dump in DUMPS.items() if row["rule"] in dumps.get(dump, {})]
        row["trial"]["modelled"] = [{"place": place, "applied": applied, "instructions": instructions}
                                    for place, (applied, instructions) in said if applied]
