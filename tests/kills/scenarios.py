"""Defines the commands to kill: how to set up each one, start it, run it again until it finishes, and read its
results."""
import base64
import hashlib
import http.client
import json
import os
import shutil
import signal
import struct
import subprocess
import tarfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MACHINE = "vc4"  # a search takes only seconds
TRIAL_MACHINE, TRIAL_DRIVER = "ir3_a6xx", "ir3-a630"
TRIAL_SHADER = """#version 330
in vec4 v; flat in ivec4 i; out vec4 c;
void main() { c = vec4(1.0 / sqrt(v.z), float(i.x + i.y + i.z), float(-i.x + i.y), 0.0); }
"""
TOKEN = "token-of-the-kills"
OPERATIONS = [
    lambda emit: emit("iadd", emit("ineg", 1), emit("iadd", 1, 2)),
    lambda emit: emit("ixor", emit("iand", 1, 2), emit("ior", 1, 2)),
    lambda emit: emit("iand", 1, emit("ior", 1, 2)),
    lambda emit: emit("ior", emit("iand", 1, 2), emit("iand", 1, emit("inot", 2))),
    lambda emit: emit("inot", emit("iand", emit("inot", 1), emit("inot", 2))),
    lambda emit: emit("iadd", emit("iand", 1, 2), emit("ior", 1, 2)),
    lambda emit: emit("isub", emit("ior", 1, 2), emit("iand", 1, 2)),
]


def nir_shader(number, operations, constants=0):
    """Returns NIR text that applies some of OPERATIONS to two loads, and contains a chain with its own constants."""
    lines = ["shader: MESA_SHADER_FRAGMENT", "name: generated%d" % number, "impl main {", "    block b0:   // preds:",
             "    32     %0 = load_const (0x00000000)", "    32     %1 = @load_ubo (%0, %0) (access=none)",
             "    32     %2 = @load_ubo (%0, %1) (access=none)"]
    defined = 3

    def emit(op, *operands):
        nonlocal defined
        lines.append("    32     %%%d = %s %s" % (defined, op, ", ".join("%%%d" % one for one in operands)))
        defined += 1
        return defined - 1

    results = [OPERATIONS[one](emit) for one in operations]
    value = 1
    for i in range(constants):
        lines.append("    32     %%%d = load_const (0x%08x)" % (defined, 1000 * number + i + 3))
        defined += 1
        value = emit(("iadd", "ixor", "iand")[i % 3], value, defined - 1)
    results += [value] if constants else []
    lines += ["                @store_output (%%%d, %%0) (base=%d)" % (one, 4 + i) for i, one in enumerate(results)]
    return "\n".join(lines + ["                // succs: b1", "    block b1:", "}", ""])


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def timeless(value):
    """Returns the JSON value without measured times."""
    if isinstance(value, dict):
        return {key: timeless(one) for key, one in value.items() if key not in ("ms", "seconds")}
    return [timeless(one) for one in value] if isinstance(value, list) else value


class Tools:
    """The program, and the inputs shared by all scenarios."""

    def __init__(self, binary, folder, mark):
        self.binary, self.folder, self.mark = binary, folder, mark

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, work, *arguments, out=subprocess.DEVNULL):
        """Starts a command in the folder `work`. Its output goes to a file next to the folder."""
        environment = dict(os.environ, TMPDIR=os.path.join(work, "tmp"), REWROUGHT_KILLS_MARK=self.mark,
                           XDG_DATA_HOME=os.path.join(work, "xdg"), XDG_STATE_HOME=os.path.join(work, "state"))
        with open(work + ".said", "w", encoding="utf-8") as said:
            return subprocess.Popen([self.binary] + list(arguments), cwd=work, env=environment, stdout=out, stderr=said,
                                    stdin=subprocess.DEVNULL)

    def said(self, work):
        with open(work + ".said", encoding="utf-8", errors="replace") as file:
            return file.read()

    def run(self, work, *arguments, codes=(0,), **options):
        process = self.start(work, *arguments, **options)
        if process.wait(600) not in codes:
            raise RuntimeError("%s: exit %d: %s" % (" ".join(arguments), process.returncode, self.said(work)[-2000:]))

    def prepare(self):
        """Creates shaders, an archive of them, and two databases with rules."""
        for number in range(3):
            write(self.path("ints/%d.nir" % number), nir_shader(number, (number, (number + 2) % 7)))
            write(self.path("more/%d.nir" % number), nir_shader(10 + number, (number + 3,)))
        for number in range(60):
            write(self.path("many/%03d.nir" % number), nir_shader(number, (number % 7,), 25))
        with tarfile.open(self.path("many.tar.xz"), "w:xz") as archive:
            archive.add(self.path("many"), "many")
        for name in ("ints", "more"):
            work = self.path("made-" + name)
            os.makedirs(os.path.join(work, "tmp"))
            db = self.path(name + ".db")
            self.run(work, "harvest", self.path(name), "--db", db, "--source", name)
            self.run(work, "discover", "--db", db, "--machine", MACHINE, "--deterministic")


class Scenario:
    """One command. Its folder contains its database `t.db` if it has one, its packs below `packs`, and `tmp`."""
    name = ""
    exit_codes = (0,)

    def __init__(self, tools):
        self.tools = tools

    def set_up(self, work):
        """Creates the state before the command starts."""

    def arguments(self):
        raise NotImplementedError

    def start(self, work):
        """Starts the command. Returns the process to kill."""
        return self.tools.start(work, *self.arguments())

    def finish(self, work):
        """Runs the command again until it finishes, which must succeed."""
        self.tools.run(work, *self.arguments(), codes=self.exit_codes)

    def result(self, work):
        """Returns the results, other than the database and the packs, that must equal those of an undisturbed run."""
        return None

    def kept(self, work):
        """Returns the results, other than the database's rows, that have been committed so far."""
        return set()


class Harvest(Scenario):
    name = "harvest"

    def arguments(self):
        return ["harvest", self.tools.path("many.tar.xz"), self.tools.path("ints"), "--db", "t.db", "--source", "kills"]


class Discover(Scenario):
    name = "discover"

    def set_up(self, work):
        self.tools.run(work, "harvest", self.tools.path("ints"), "--db", "t.db", "--source", "ints")

    def arguments(self):
        return ["discover", "--db", "t.db", "--machine", MACHINE, "--deterministic"]


class Merge(Scenario):
    name = "merge"

    def arguments(self):
        return ["merge", self.tools.path("ints.db"), self.tools.path("more.db"), "--db", "t.db"]


class Export(Scenario):
    """Exports over the pack of another database."""
    name = "export"

    def set_up(self, work):
        self.tools.run(work, "export", "--db", self.tools.path("more.db"), "--machine", MACHINE, "-o", "packs")

    def arguments(self):
        return ["export", "--db", self.tools.path("ints.db"), "--machine", MACHINE, "-o", "packs"]


class Trial(Scenario):
    """Uses the fake build and the fake runner of tests/cli/trial_test.py instead of Mesa."""
    name = "trial"

    def set_up(self, work):
        shader = self.tools.path("trial/a.frag")
        write(shader, TRIAL_SHADER)
        self.tools.run(work, "harvest", shader, "--db", "t.db", "--source", "made")
        self.tools.run(work, "discover", "--db", "t.db", "--machine", TRIAL_MACHINE, "--deterministic")
        rig = os.path.join(work, "rig")
        shutil.copytree(os.path.join(ROOT, "tools/driver_rig"), rig, ignore=shutil.ignore_patterns("*.cc", "*.h", "BUILD"))
        for name, program in (("build", "fake_build.py"), ("fake_runner.py", "fake_runner.py")):
            path = os.path.join(rig, name)
            shutil.copy(os.path.join(ROOT, "tests/cli", program), path)
            os.chmod(path, 0o755)
        for number in range(6):
            rules = "// frsq before_late * -10\n// frcp * * 5\n// iadd3 * * -%d\n" % number
            write(os.path.join(work, "found/%d.frag" % number), "// size %d\n%s" % (100 + number, rules))
            write(os.path.join(work, "other/%d.frag" % number), "// size %d\n%s" % (200 + number, rules))

    def arguments(self):
        return ["trial", "--db", "t.db", "--machine", TRIAL_MACHINE, "--rig", "rig", "--build", "build", "--out", "out",
                "--driver", TRIAL_DRIVER, "--jobs", "1", "--shaders", "found", "--held-out", "other"]

    def result(self, work):
        with open(os.path.join(work, "out", TRIAL_DRIVER + ".trial.json"), encoding="utf-8") as file:
            said = timeless(json.load(file))
        for driver in said["drivers"]:
            del driver["compilations"]  # counts only the compilations since the last start
        return said["drivers"]


class Nightly(Scenario):
    name = "nightly"

    def set_up(self, work):
        write(os.path.join(work, "night.textproto"),
              'corpus { path: "%s" source: "ints" }\nmachines: "%s"\ndeterministic: true\nexport_dir: "packs"\n'
              'report_file: "report.html"\ndb: "t.db"\n' % (self.tools.path("ints"), MACHINE))

    def arguments(self):
        return ["nightly", "night.textproto"]


class Audit(Scenario):
    name = "audit"
    exit_codes = (0, 1, 3)

    def set_up(self, work):
        write(os.path.join(work, "tree/compiler/nir/nir_algebraic.py"), "class AlgebraicPass:\n    pass\n")
        rules = ["(('iadd', a, 0), a)", "(('isub', a, b), ('isub', b, a))", "(('~fadd', ('fadd', a, b), ('fneg', b)), a)"]
        rules += ["((%r, (%r, a, b), c), (%r, a, (%r, b, c)))" % ((op,) * 4) for op in ("iand", "ior", "ixor", "iadd")]
        rules += ["(('imul', a, %d), ('ishl', a, %d))" % (1 << i, i) for i in range(1, 16)]
        write(os.path.join(work, "tree/compiler/nir/nir_opt_algebraic.py"),
              "import nir_algebraic\na, b, c = 'a', 'b', 'c'\nprint(nir_algebraic.AlgebraicPass('one', [\n    " +
              ",\n    ".join(rules) + "]).render())\n")

    def arguments(self):
        return ["audit", "tree/compiler/nir", "--json", "--verdicts", "verdicts.jsonl", "--db", "none.db"]

    def start(self, work):
        with open(work + ".out", "wb") as out:
            return self.tools.start(work, *self.arguments(), out=out)

    def finish(self, work):
        with open(work + ".out", "wb") as out:
            self.tools.run(work, *self.arguments(), codes=self.exit_codes, out=out)

    def result(self, work):
        with open(work + ".out", encoding="utf-8") as file:
            return [timeless(json.loads(line)) for line in file]

    def kept(self, work):
        try:
            with open(os.path.join(work, "verdicts.jsonl"), encoding="utf-8") as file:
                lines = [line for line in file if line.endswith("\n")]
        except FileNotFoundError:
            return set()
        keys = [json.loads(line)["key"] for line in lines]
        if len(set(keys)) != len(keys):
            raise RuntimeError("verdicts.jsonl: a verdict twice")
        return set(keys)


class Served(Scenario):
    """Kills `rewrought serve` while it processes a request."""

    def set_up(self, work):
        os.mkdir(os.path.join(work, "packs"))
        shutil.copy(self.tools.path("ints.db"), os.path.join(work, "t.db"))

    def arguments(self):
        tokens = self.tools.path("tokens")
        if not os.path.exists(tokens):
            write(tokens, "admin kills %s\n" % hashlib.sha256(TOKEN.encode()).hexdigest())
            os.chmod(tokens, 0o600)
        return ["serve", "--db", "t.db", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0", "--packs", "packs",
                "--tokens", tokens]

    def ask(self, work, process):
        """Sends the request and waits for the response. Raises OSError or http.client.HTTPException if the server
        is gone."""
        raise NotImplementedError

    def start(self, work):
        process = super().start(work)

        def client():
            try:
                self.ask(work, process)
                process.send_signal(signal.SIGTERM)
            except (OSError, http.client.HTTPException, ValueError):
                pass  # the server was killed

        threading.Thread(target=client, daemon=True).start()
        return process

    def finish(self, work):
        process = super().start(work)
        try:
            self.ask(work, process)
        finally:
            process.send_signal(signal.SIGTERM)
            code = process.wait(60)
        if code not in (0, 130):
            raise RuntimeError("serve: exit %d: %s" % (code, self.tools.said(work)[-2000:]))

    def call(self, work, process, method, message, stream=False):
        """Makes one Connect call. Returns the response's JSON, or the last message of a stream."""
        while " at http://" not in self.tools.said(work):
            if process.poll() is not None:
                raise ConnectionError(self.tools.said(work))
            time.sleep(0.005)
        port = int(self.tools.said(work).split(" at http://127.0.0.1:")[1].split("/")[0])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        body = json.dumps(message).encode()
        kind = "application/connect+json" if stream else "application/json"
        connection.request("POST", "/rewrought.v1." + method, (struct.pack(">BI", 0, len(body)) if stream else b"") + body,
                           {"Content-Type": kind, "Authorization": "Bearer " + TOKEN})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            raise RuntimeError("%s: %d %s" % (method, answer.status, text))
        last = None
        while stream and text:
            flags, size = struct.unpack(">BI", text[:5])
            last = json.loads(text[5:5 + size]) if flags == 0 else last
            if flags == 2 and json.loads(text[5:5 + size]).get("error"):
                raise RuntimeError("%s: %s" % (method, text))
            text = text[5 + size:]
        return last if stream else json.loads(text)


class Upload(Served):
    name = "upload"

    def ask(self, work, process):
        with open(self.tools.path("many.tar.xz"), "rb") as file:
            archive = file.read()
        self.call(work, process, "CorpusService/UploadShaders",
                  {"source": "sent", "files": [{"name": "many.tar.xz", "content": base64.b64encode(archive).decode()}]})


class Run(Served):
    """A discovery run of the service. The same request id always refers to the same run."""
    name = "serve"

    def set_up(self, work):
        os.mkdir(os.path.join(work, "packs"))
        self.tools.run(work, "harvest", self.tools.path("ints"), "--db", "t.db", "--source", "ints")

    def ask(self, work, process):
        run = self.call(work, process, "RunService/StartRun",
                        {"config": {"machines": [MACHINE], "deterministic": True}, "requestId": "kills"})["run"]
        while run.get("state") in (None, "RUN_STATE_QUEUED", "RUN_STATE_RUNNING"):
            time.sleep(0.05)
            run = self.call(work, process, "RunService/GetRun", {"id": run["id"]})["run"]
        if run["state"] != "RUN_STATE_DONE":
            raise RuntimeError("the run is %s: %s" % (run["state"], run.get("message")))


class Build(Served):
    """A pack that the service builds."""
    name = "build"

    def ask(self, work, process):
        self.call(work, process, "PackService/BuildPack", {"machine": MACHINE}, stream=True)


SCENARIOS = [Harvest, Discover, Merge, Export, Trial, Upload, Run, Build, Nightly, Audit]


