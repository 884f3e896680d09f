"""Hatch's hook: makes the parse tables from the grammar and puts them into the wheel."""

import sys
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ParseTables(BuildHookInterface):
    """Adds the generated module `adcli/language/shipped_tables.py` to a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        try:
            from adcli.language.grammar import module_text

            text = module_text()
        finally:
            sys.path.remove(self.root)
        self.folder = Path(mkdtemp())
        generated = self.folder / "shipped_tables.py"
        generated.write_text(text, encoding="utf-8")
        build_data["force_include"][str(generated)] = "adcli/language/shipped_tables.py"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "folder"):
            rmtree(self.folder, ignore_errors=True)
