"""Signs in docstrings: which modules of a package an answer may need, read from their files without importing them."""

from __future__ import annotations

import os
from functools import lru_cache


@lru_cache
def signs_by_module(folders: tuple[str, ...], label: str) -> dict[str, list[str]]:
    """Return {file name without .py: signs}, sorted by file name over all folders, for Python files in `folders`,
    except those named `_…`.

    The signs are the words, separated by blanks, of the last paragraph of the module's docstring, which begins with
    `label` and a colon; ␣ in a sign means a blank. A module without this paragraph has the one sign "", which every
    text contains.
    """
    signs: dict[str, list[str]] = {}
    for file, folder in sorted((file, each) for each in folders for file in os.listdir(each)):
        if file.endswith(".py") and file[:1] != "_":
            with open(os.path.join(folder, file), "rb") as stream:
                listed = stream.read().decode().partition(f"\n{label}: ")[2].partition('"""')[0]
            signs[file[:-3]] = [sign.replace("␣", " ") for sign in listed.split()] or [""]
    return signs
