"""Verifies the rules of a file, one per line, with a running `rewrought serve`. This script is an example of a Python
client with plain grpcio.

usage: check_rules.py HOST:PORT FILE [TOKEN_FILE]   (run it in the project's root, whose proto/ it compiles)
Needs protoc, grpc_python_plugin, python3-grpcio and python3-protobuf (tools/install_packages.sh). Exit status: 1 if a
rule was refuted, 2 if a line is not a rule or the server did not answer, 3 if a rule is undecided.
"""
import os
import subprocess
import sys
import tempfile

import grpc


def generate_stubs(root, out):
    """Compiles root/proto into importable modules below out. Real clients generate these stubs in their build."""
    folder = "proto/rewrought/v1"
    schemas = sorted(os.path.join(folder, name) for name in os.listdir(os.path.join(root, folder)) if name.endswith(".proto"))
    plugin = subprocess.run(["sh", "-c", "command -v grpc_python_plugin"], capture_output=True, text=True, check=True)
    subprocess.run(["protoc", "-I.", "--python_out=" + out, "--grpc_out=" + out,
                    "--plugin=protoc-gen-grpc=" + plugin.stdout.strip()] + schemas, check=True, cwd=root)
    sys.path.insert(0, out)


def main(address, path, token_file=None):
    # pylint: disable=import-error
    from proto.rewrought.v1 import check_service_pb2 as messages
    from proto.rewrought.v1 import check_service_pb2_grpc as stubs
    from proto.rewrought.v1 import proof_pb2 as proof
    metadata = []
    if token_file:  # only safe over loopback; otherwise use grpc.secure_channel
        with open(token_file, encoding="utf-8") as file:
            metadata.append(("authorization", "Bearer " + file.read().strip()))
    with open(path, encoding="utf-8") as file:
        rules = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    status = 0
    with grpc.insecure_channel(address) as channel:
        checks = stubs.CheckServiceStub(channel)
        for rule in rules:
            request = messages.CheckRuleRequest(rule=rule, modes=[proof.DENORM_MODE_ANY], explain=True)
            try:
                verdict = checks.CheckRule(request, timeout=60, metadata=metadata).verdict
            except grpc.RpcError as error:
                print("%s: %s: %s" % (address, error.code().name, error.details()), file=sys.stderr)
                return 2
            word = proof.Verdict.Name(verdict.verdict).removeprefix("VERDICT_").lower()
            print("%-8s %s" % (word, verdict.rule))
            if verdict.HasField("error"):
                print("    column %d: %s" % (verdict.error.column, verdict.error.message))
            refuted = [case for case in verdict.cases if case.HasField("witness")]
            for node in refuted[0].explain if refuted else ():
                print("    %-7s %-32s %s" % (node.side, node.node, ", ".join(node.values)))
            status = max(status, {"proved": 0, "vacuous": 0, "refuted": 1, "error": 2}.get(word, 3))
    return status


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        generate_stubs(".", folder)
        sys.exit(main(*sys.argv[1:]))
