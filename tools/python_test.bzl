"""python_test: a test written in Python, run by the distribution's python3.

It replaces py_test, which in Bazel 4.2 starts its tests with a command named "python" that Debian does not have.
"""

def python_test(name, src, srcs = [], args = [], data = [], **kwargs):
    """Runs src with args; srcs are the modules that it imports from its own folder."""
    native.sh_test(
        name = name,
        srcs = ["//tools:run_python.sh"],
        args = ["$(location %s)" % src] + args,
        data = [src] + srcs + data,
        **kwargs
    )
