"""The lowest versions that are allowed are said for everything, and are what is tried once a day."""

from __future__ import annotations

import importlib.util
import re
import tomllib

import pytest
from running import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def test_every_package_that_a_user_needs_has_a_lowest_version_that_is_tried() -> None:
    found = importlib.util.spec_from_file_location("versions", CHECKOUT / ".ci" / "versions.py")
    assert found is not None
    assert found.loader is not None
    versions = importlib.util.module_from_spec(found)
    found.loader.exec_module(versions)
    needed = [
        *PROJECT["dependencies"],
        *(x for name in EXTRAS if name not in ("test", "bench", "dev") for x in EXTRAS[name]),
    ]
    names = {re.match(r"[\w.-]+", text)[0] for text in needed}  # type: ignore[index]  # each starts with a name
    assert names == {pin.partition("==")[0] for pin in versions.lowest(PROJECT)}


@pytest.mark.parametrize("name", [name for name in EXTRAS if name not in ("dev", "bench")])
def test_a_package_has_one_lowest_version_wherever_it_is_named(name: str) -> None:
    bounds = {text for texts in EXTRAS.values() for text in texts}
    for text in EXTRAS[name]:
        package = re.match(r"[\w.-]+", text)
        assert package is not None
        assert [text] == sorted(other for other in bounds if re.match(rf"{re.escape(package[0])}(?![\w.-])", other))
