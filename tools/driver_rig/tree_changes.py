"""Makes the rig's changes (tree_changes.toml) to its copy of a Mesa tree."""
import os
import shutil

import rig


def needed(changes, drivers):
    """Returns the changes that the drivers of these rows need."""
    statistics = {driver.get("statistics") for driver in drivers}
    return [change for change in changes if statistics.intersection(change.get("statistics", statistics))]


def make(source, changes):
    """Makes the changes in the tree `source`. Keeps each original file beside the changed one, so that later calls
    start from the original. Raises rig.UserError if no form of a change
    applies."""
    edited = {path: original(source, path) for path in originals(source, changes)}
    for change in changes:
        form = form_for(edited, change)
        if form is None:
            places = "; ".join(f"{form['file']}: {form['anchor'].strip()!r}" for form in change["form"])
            raise rig.UserError(
                f"{source}: cannot {change['purpose']}: no file contains its anchor exactly once ({places}). Add a form "
                "for this version of Mesa to tools/driver_rig/tree_changes.toml, or exclude the driver with --drivers")
        edited[form["file"]] = edited[form["file"]].replace(form["anchor"], form["anchor"] + change["insert"])
    for path, text in edited.items():
        write(os.path.join(source, path), text)


def form_for(edited, change):
    """Returns the first form of the change whose anchor occurs exactly once, or None. `edited` maps paths to texts;
    files that the tree lacks are absent."""
    return next((form for form in change["form"] if edited.get(form["file"], "").count(form["anchor"]) == 1), None)


def originals(source, changes):
    """Returns the paths of the files that exist in the tree and that a change may edit."""
    paths = sorted({form["file"] for change in changes for form in change["form"]})
    return [path for path in paths if os.path.exists(os.path.join(source, path))]


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
