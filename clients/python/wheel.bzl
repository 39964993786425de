"""python_wheel: builds the wheel of the Python package."""

def _python_wheel(ctx):
    folder = ctx.actions.declare_directory("dist")
    ctx.actions.run(
        outputs = [folder],
        inputs = ctx.files.srcs + [ctx.file.backend, ctx.file.changelog],
        executable = "python3",
        arguments = ["-B", ctx.file.backend.path, folder.path],
        use_default_shell_env = True,
        progress_message = "Building the Python wheel",
    )
    return [DefaultInfo(files = depset([folder]), runfiles = ctx.runfiles([folder]))]

# The name of the wheel contains the version, so the output is the folder dist/, which contains only the wheel.
python_wheel = rule(
    implementation = _python_wheel,
    attrs = {
        "backend": attr.label(allow_single_file = True, mandatory = True),
        "changelog": attr.label(allow_single_file = True, mandatory = True),  # states the version
        "srcs": attr.label_list(allow_files = True),
    },
)
