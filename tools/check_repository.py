"""Runs a check module on the source tree. Arguments: the module's name, and a file in the root of the tree."""
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

if __name__ == "__main__":
    # Inside and outside a sandbox, the file is a symbolic link into the source tree.
    root = os.path.dirname(os.path.realpath(sys.argv[2]))
    sys.exit(importlib.import_module(sys.argv[1]).main([root]))
