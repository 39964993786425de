"""Generates gRPC stubs for the tests of the service, as other clients generate them in their build."""
import os
import subprocess
import sys


def generate(root, out):
    """Compiles root/proto into importable modules below out, and adds out to the path of modules."""
    folder = "proto/rewrought/v1"
    schemas = sorted(os.path.join(folder, name) for name in os.listdir(os.path.join(root, folder))
                     if name.endswith(".proto"))
    plugin = subprocess.run(["sh", "-c", "command -v grpc_python_plugin"], capture_output=True, text=True, check=True)
    subprocess.run(["protoc", "-I.", "--python_out=" + out, "--grpc_out=" + out,
                    "--plugin=protoc-gen-grpc=" + plugin.stdout.strip()] + schemas, check=True, cwd=root)
    sys.path.insert(0, out)
