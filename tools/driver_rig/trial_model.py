"""What the model says of a trial's rules: each alone, in whole shaders as the driver has them where its passes are called.

The driver's NIR (tools/driver_rig/run --nir) goes through `rewrought select --each-rule`, which applies the driver
tree's own rules after each. Beside what the driver measured this tells how far a machine's description can be believed.
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
# Where the NIR of each place is written (places.toml). There is none behind the late pass; what stands before it comes
# nearest.
DUMPS = {"main_rest": "main", "before_ffma": "before_ffma", "before_late": "late", "after_late": "late"}


def machine_of(driver):
    """The description by which the driver's savings are modelled: its own, or the nearest; None if there is none."""
    return driver.get("machine") or driver.get("model")


def dump_nir(args, driver, build, folder):
    """Writes the driver's NIR of --shaders to the folder. Goes on where it was stopped."""
    kept = os.path.join(folder, "results.jsonl")
    if os.path.exists(kept) and results.read(kept)[0]["build"] != build:
        shutil.rmtree(folder)
    command = [os.path.join(FOLDER, "run"), "--driver", driver["name"], "--shaders", *args.shaders, "--nir", folder,
               "--build", args.build, "--jobs", str(args.jobs), "--watchdog", str(args.watchdog)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        if process.wait():
            raise rig.UserError("the driver's NIR was not written; see above")
    finally:
        process.terminate()  # stopped on the way it ends its own runners
        process.wait()


def read_rules(path):
    """{rule: (times applied, change of instructions)} of what `rewrought select --each-rule --json` wrote."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return {row["rule"]: (row["applied"], row["instructions"]) for row in rows if "rule" in row}


def arguments_of(dump, driver, tree):
    """What `rewrought select` is told of the place and the driver. tree: src/compiler/nir, or None."""
    told = ["--baseline", tree] if tree else []
    if tree and dump == DUMPS["before_late"]:
        told.append("--late")  # before that drivers run their main loop again (elk_nir.c, elk_postprocess_nir)
    return told + (["--constants-free"] if driver.get("constants_free") else [])


def select(args, driver, nir, path):
    """All dumps through the model, as many at once as there are jobs: {dump: read_rules}."""
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
                raise rig.UserError(f"rewrought select ended with {process.returncode} on {os.path.join(nir, dump)}")
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
    """Names all that the model's answers depend on."""
    with open(args.model, "rb") as file:
        program = hashlib.file_digest(file, "sha256")
    shaders = hashlib.sha256("".join(f"{one.name} {one.hash}\n" for one in found).encode())
    told = {dump: arguments_of(dump, driver, "tree") for dump in DUMPS.values()}
    return {"machine": machine_of(driver), "told": told, "build": build, "rules": [rule.id for rule in rules],
            "program": program.hexdigest(), "shaders": shaders.hexdigest()}


def answers(args, driver, rules, build, found, path, say):
    """{dump: {rule: (times applied, change of instructions)}}, from the file of an earlier trial if nothing changed.

    found: the programs below args.shaders. path: from the end of a file's name to its path, of this driver. Raises
    rig.UserError or OSError if NIR or answers cannot be had.
    """
    machine = machine_of(driver)
    if not machine:
        raise rig.UserError(f"no machine description comes near {driver['name']} (model in drivers.toml)")
    head, kept = head_of(args, driver, build, rules, found), path("model.json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            document = json.load(file)
        if document["head"] == head:
            return document["dumps"]
    folder = path("nir")
    say("NIR of all shaders")
    dump_nir(args, driver, build, folder)
    say(f"whole shaders by the model of {machine}")
    dumps = select(args, driver, os.path.join(folder, driver["name"]), path)
    with open(kept + ".new", "w", encoding="utf-8") as file:
        json.dump({"head": head, "dumps": dumps}, file)
    os.replace(kept + ".new", kept)
    shutil.rmtree(folder)
    return dumps


def add(dumps, machine, figures, rows):
    """Adds what the model says to a DriverTrial and its rows (proto/rewrought/v1/rule.proto)."""
    figures["modelled_as"] = machine
    for row in rows:
        said = [(place, dumps[dump][row["rule"]]) for place, dump in DUMPS.items() if row["rule"] in dumps.get(dump, {})]
        row["trial"]["modelled"] = [{"place": place, "applied": applied, "instructions": instructions}
                                    for place, (applied, instructions) in said if applied]
