"""`py.typed` is true: type checkers understand a file of typical uses."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from running import CHECKOUT, environment

USES = Path(__file__).parent / "typed_uses.py"
WRONG = "import adcli\nx: str = adcli.parse('x').value(x=1.0)\nadcli.parse('x').gradient(at='x')\n"


@pytest.mark.slow
def test_mypy_takes_typical_uses_and_finds_wrong_ones(tmp_path: Path) -> None:
    if find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    # As the package itself is checked, so that what is known of it need not be found again.
    command = [sys.executable, "-m", "mypy", str(USES), str(wrong)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, env=environment(), check=False)
    assert "Found 2 errors in 1 file (checked 2 source files)" in done.stdout, done.stdout + done.stderr
    assert "typed_uses" not in done.stdout


@pytest.mark.slow
def test_pyright_takes_typical_uses(tmp_path: Path) -> None:
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    command = [sys.executable, "-m", "pyright", str(USES)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=environment(), check=False)
    if "0 errors" not in done.stdout and "error:" not in done.stdout:
        pytest.skip("pyright does not run here")
    assert "0 errors" in done.stdout, done.stdout
