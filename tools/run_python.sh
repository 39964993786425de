#!/bin/sh
# run_python.sh SCRIPT ARGUMENT...: runs a Python script without writing bytecode files next to it.
exec python3 -B "$@"
