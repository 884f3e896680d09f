"""The sources of the package, all parsed and walked through once for all tests that look at them."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path
from typing import NamedTuple

from running import PACKAGE


class Parsed(NamedTuple):
    """A file of the package: its syntax tree, and all nodes of that."""

    tree: ast.Module
    nodes: tuple[ast.AST, ...]


@cache
def parsed() -> dict[Path, Parsed]:
    """All files of the package; the collector of cycles does not look through them, which stay, again and again."""
    found = {}
    gc.collect()
    gc.disable()
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"), path.name)
        found[path] = Parsed(tree, tuple(ast.walk(tree)))
    gc.freeze()
    gc.enable()
    return found
