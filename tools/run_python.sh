#!/bin/sh
# run_python.sh SCRIPT ARGUMENT...: runs a Python script without leaving byte code beside it.
exec python3 -B "$@"
