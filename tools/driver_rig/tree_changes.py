"""Makes the rig's changes (tree_changes.toml) to its copy of a Mesa tree."""
import os
import re
import shutil

import rig


def needed(changes, drivers):
    """Returns the changes that the drivers of these rows need."""
    statistics = {driver.get("statistics") for driver in drivers}
    return [change for change in changes if statistics.intersection(change.get("statistics", statistics))]


def make(source, changes, substitutions=()):
    """Makes the changes and substitutions in the tree `source`. Keeps each original file beside the changed one, so
    that later calls start from the original. Raises rig.UserError if no form of a change applies."""
    paths = {form["file"] for change in changes for form in change["form"]} | {one["file"] for one in substitutions}
    edited = {path: original(source, path) for path in sorted(paths) if os.path.exists(os.path.join(source, path))}
    for one in substitutions:
        if one["file"] in edited:
            edited[one["file"]] = re.sub(one["pattern"], one["with"], edited[one["file"]])
    for change in changes:
        form = form_for(edited, change)
        if form is None:
            places = "; ".join(f"{form['file']}: {anchor.strip()!r}" for form in change["form"]
                               for anchor, _ in insertions(change, form))
            raise rig.UserError(
                f"{source}: cannot {change['purpose']}: no file contains its anchor exactly once ({places}). Add a form "
                "for this version of Mesa to tools/driver_rig/tree_changes.toml, or exclude the driver with --drivers")
        for anchor, insert in insertions(change, form):
            edited[form["file"]] = edited[form["file"]].replace(anchor, anchor + insert)
    for path, text in edited.items():
        write(os.path.join(source, path), text)


def insertions(change, form):
    """Returns the pairs (anchor, text to insert after it) of a form of the change."""
    return form.get("insertions") or [(form["anchor"], change["insert"])]


def form_for(edited, change):
    """Returns the first form of the change whose anchors each occur exactly once, or None. `edited` maps paths to
    contents; files that the tree lacks are absent."""
    return next((form for form in change["form"] if all(
        edited.get(form["file"], "").count(anchor) == 1 for anchor, _ in insertions(change, form))), None)


def needs_clc(source, driver):
    """Returns whether the tree's meson.build lists the driver of this row among those that it builds with mesa_clc."""
    with open(os.path.join(source, "meson.build"), encoding="utf-8") as file:
        text = file.read()
    lists = re.findall(r"^ *(?:with_clc|with_driver_using_cl) = (\[[^]]*\]|(?:.*\\\n)*.*)", text, re.M)
    option = f"with_gallium_{driver['gallium']}" if "gallium" in driver else f"with_{driver['vulkan']}_vk"
    return any(re.search(rf"\b{option}\b", listed) for listed in lists)


def original(source, path):
    """Returns the file's text before the rig changed it, and keeps a copy of it."""
    kept = os.path.join(source, path) + ".rig_original"
    if not os.path.exists(kept):
        shutil.copyfile(os.path.join(source, path), kept + ".new")
        os.replace(kept + ".new", kept)
    with open(kept, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    """Replaces the file unless it already has this text, so that the build does not compile it again."""
    with open(path, encoding="utf-8") as file:
        if file.read() == text:
            return
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)
