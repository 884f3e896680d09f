"""What is shipped is what was tested: sources and wheel, built here and installed in an environment of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from running import CHECKOUT, PAPER, run

ARGV = ("eval", PAPER, "--at", "x1=2,x2=5", "--mode", "reverse", "--style", "paper")

pytestmark = pytest.mark.slow


class Installation(NamedTuple):
    """An environment with the wheel in it: its programs, its packages, and a folder to work in that is empty."""

    programs: Path
    packages: Path
    elsewhere: Path

    def call(self, *argv: str) -> str:
        """What a program of the environment prints, run from elsewhere and told nothing about the checkout."""
        return called(str(self.programs / argv[0]), *argv[1:], cwd=self.elsewhere)


def called(*argv: str, cwd: Path) -> str:
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("PYTHON", "XDG", "PIP"))}
    done = subprocess.run(
        argv, cwd=cwd, capture_output=True, check=False, stdin=subprocess.DEVNULL,
        env={**kept, "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(cwd)},
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr.decode() + done.stdout.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sources and the wheel, which is built from those sources alone."""
    folder = tmp_path_factory.mktemp("dist")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    called(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(CHECKOUT), cwd=elsewhere)
    return folder


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    (found,) = distributions.glob("adcli-*.whl")
    return found


@pytest.fixture(scope="module")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """A new environment with the wheel; what the wheel needs is borrowed from the environment of the tests."""
    home = tmp_path_factory.mktemp("environment")
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    venv.create(home)
    places = {"base": str(home), "platbase": str(home)}
    packages = Path(sysconfig.get_path("purelib", "venv", places))
    programs = Path(sysconfig.get_path("scripts", "venv", places))
    called(
        sys.executable, "-m", "pip", "--python", str(programs / "python"), "install", "--quiet",
        "--no-index", "--no-deps", "--disable-pip-version-check", str(wheel), cwd=elsewhere,
    )  # fmt: skip
    borrowed = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    (packages / "borrowed.pth").write_text("\n".join(borrowed) + "\n", encoding="utf-8")
    return Installation(programs, packages, elsewhere)


@pytest.mark.slow
def test_the_wheel_holds_the_package_the_grammar_and_the_mark_of_types(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"adcli/__init__.py", "adcli/grammar/expression.lark", "adcli/py.typed"} <= names
    tops = {name.split("/")[0] for name in names}
    assert {"adcli"} == {top for top in tops if not top.endswith(".dist-info")}
    assert [] == [name for name in names if "__pycache__" in name or name.endswith((".pyc", ".json"))]


def test_every_module_of_the_checkout_is_in_the_wheel(wheel: Path) -> None:
    mine = {path.relative_to(CHECKOUT).as_posix() for path in (CHECKOUT / "adcli").rglob("*.py")}
    assert set() == mine - set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.slow
def test_the_page_to_step_through_is_written_by_an_installation(installation: Installation) -> None:
    argv = ("explain", PAPER, "--at", "x1=2,x2=5", "--interactive")
    assert run(*argv).out == installation.call("adcli", *argv)


def test_the_grammar_in_the_wheel_is_that_of_the_checkout(wheel: Path) -> None:
    for file in (CHECKOUT / "grammar").iterdir():
        assert file.read_bytes() == zipfile.ZipFile(wheel).read(f"adcli/grammar/{file.name}")


def test_the_sources_hold_all_that_a_build_and_the_tests_need(distributions: Path) -> None:
    (found,) = distributions.glob("adcli-*.tar.gz")
    with tarfile.open(found) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "adcli/__init__.py", "grammar/expression.lark"} <= names
    mine = {f"tests/{path.name}" for path in (CHECKOUT / "tests").glob("*.py")}
    assert set() == mine - names


def test_the_installed_package_is_the_one_that_is_imported(installation: Installation) -> None:
    where = installation.call("python", "-I", "-c", "import adcli; print(adcli.__file__)")
    assert installation.packages / "adcli" / "__init__.py" == Path(where.strip())


def test_the_installed_command_prints_the_papers_table(installation: Installation) -> None:
    found = installation.call("adcli", *ARGV)
    assert run(*ARGV).out == found
    assert ["x̄1", "=", "5.5"] == found.splitlines()[0].split()
    assert ["x̄2", "=", "1.716"] == found.splitlines()[1].split()


def test_the_installed_module_runs_too(installation: Installation) -> None:
    assert run(*ARGV).out == installation.call("python", "-I", "-m", "adcli", *ARGV)
    assert run("functions").out == installation.call("adcli", "functions")


def test_an_installation_explains_mistakes(installation: Installation) -> None:
    program = "from adcli.cli.main import main; print(main(['eval', 'x +* 2']))"
    assert "2\n" == installation.call("python", "-I", "-c", program)


def test_an_installation_needs_neither_lark_nor_a_cache(installation: Installation) -> None:
    program = f"import sys; sys.modules['lark'] = None; from adcli.cli.main import main; main({list(ARGV)!r})"
    assert run(*ARGV).out == installation.call("python", "-I", "-c", program)
    assert [] == list(installation.elsewhere.iterdir())


def test_the_grammar_of_an_installation_still_builds_its_tables(installation: Installation) -> None:
    program = (
        "from adcli.grammar_files import grammar_path\n"
        "from adcli.language.grammar import build\n"
        "import os\n"
        "from adcli.language.shipped_tables import TABLES\n"
        "print(grammar_path('expression.lark').split(os.sep)[-3], {name: build(name) for name in TABLES} == TABLES)"
    )
    assert "adcli True\n" == installation.call("python", "-I", "-c", program)


def test_the_version_of_the_wheel_is_that_of_the_package(wheel: Path, installation: Installation) -> None:
    version = installation.call("adcli", "--version").split()[1]
    assert wheel.name.startswith(f"adcli-{version}-")
