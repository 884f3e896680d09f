"""Text for people and programs: one file for each format."""

from __future__ import annotations

import os


def read_file(name: str) -> str:
    """Return the text of a file of this folder, such as "page.css" or "stepper/stepper.js"."""
    with open(os.path.join(os.path.dirname(__file__), name), encoding="utf-8") as file:
        return file.read()


def list_modules(package: str) -> tuple[str, ...]:
    """Return the names of the public modules next to the file `package` of a package, sorted."""
    files = os.listdir(os.path.dirname(package))
    return tuple(sorted(file[:-3] for file in files if file.endswith(".py") and file[:1] != "_"))
