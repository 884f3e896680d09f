"""Signs in docstrings: which modules of a package an answer may need, read from their files without importing them."""

from __future__ import annotations

import os
from functools import lru_cache


@lru_cache
def signs_by_module(folders: tuple[str, ...], label: str) -> dict[str, list[str]]:
    """Return {file name without .py: signs} for the Python files in `folders`, except those named `_…`; sorted by file
    name over all folders.

    The signs are the words, separated by blanks, after the first line below the file's first that begins with `label`,
    a colon and a blank, up to the next three quotes: the last paragraph of the module's docstring. ␣ in a sign means a
    blank. Without such a line or words the only sign is "", which every text contains. Of two files with the same name
    the one in the folder whose path sorts last counts. Raises OSError for a folder that cannot be read.
    """
    signs: dict[str, list[str]] = {}
    for file, folder in sorted((file, each) for each in folders for file in os.listdir(each)):
        if file.endswith(".py") and file[:1] != "_":
            with open(os.path.join(folder, file), "rb") as stream:
                listed = stream.read().decode().partition(f"\n{label}: ")[2].partition('"""')[0]
            signs[file[:-3]] = [sign.replace("␣", " ") for sign in listed.split()] or [""]
    return signs
