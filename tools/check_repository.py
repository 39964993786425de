"""Runs one of the check modules on the source tree; arguments: the module's name and a file in the tree's root."""
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

if __name__ == "__main__":
    # The file is a link into the source tree, whether Bazel runs this in a sandbox or not.
    root = os.path.dirname(os.path.realpath(sys.argv[2]))
    sys.exit(importlib.import_module(sys.argv[1]).main([root]))
