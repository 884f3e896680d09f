"""Signs in docstrings: which modules of a package an answer may need, read from their files without importing them."""

from __future__ import annotations

import os
from functools import lru_cache


@lru_cache
def signs_by_module(folders: tuple[str, ...], label: str) -> dict[str, list[str]]:
    """Return {module: the signs in the last paragraph of its docstring, which begins with `label`}, sorted by name, for
    a package's `folders`.

    Blanks separate the signs; ␣ means a blank in them. A module without such a paragraph has the sign "", which every
    text contains. Left out are files with a name that begins with an underscore.
    """
    signs: dict[str, list[str]] = {}
    for file, folder in sorted((file, each) for each in folders for file in os.listdir(each)):
        if file.endswith(".py") and file[:1] != "_":
            with open(os.path.join(folder, file), "rb") as stream:
                listed = stream.read().decode().partition(f"\n{label}: ")[2].partition('"""')[0]
            signs[file[:-3]] = [sign.replace("␣", " ") for sign in listed.split()] or [""]
    return signs
