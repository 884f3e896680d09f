"""The quick tests with the lowest versions of all packages that the project allows, or with the newest, in new folders.

    python3 .ci/versions.py lowest
    python3 .ci/versions.py newest python3.12 python3.13

Without names every python3.11 to python3.14 that is there is tried.  A Python for which a lowest version was never
built is passed over, and said so; the lowest Python has all of them.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
_TOOLS = ("test", "bench", "dev")  # extras of those who work on the project, which may always be the newest
_BOUND = re.compile(r"([\w.-]+)>=([\w.]+)")
_NO_WHEEL = "No matching distribution"


def lowest(project: dict) -> list[str]:
    """The lowest versions that are allowed of what the project and its extras need, as pip takes them."""
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *(text for name in extras if name not in _TOOLS for text in extras[name])]
    return sorted({"{}=={}".format(*_BOUND.match(text).groups()) for text in needed})


def run(which: str, python: str, project: dict) -> bool | None:
    """Whether the tests pass with these versions; None where they cannot be installed for this Python."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "venv"
        subprocess.run([python, "-m", "venv", home], check=True)
        inside = home / "bin" / "python"
        pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--prefer-binary"]
        if which == "lowest":
            done = subprocess.run([*pip, "--only-binary=:all:", *lowest(project)], capture_output=True, text=True)
            if done.returncode and _NO_WHEEL in done.stderr:
                print(f"{python}: {done.stderr.strip().splitlines()[-1]}")
                return None
            done.check_returncode()
        subprocess.run([*pip, *(["--upgrade"] if which == "newest" else []), f"{ROOT}[test]"], check=True)
        listed = subprocess.run([inside, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True)
        names = {_BOUND.match(text.replace("==", ">="))[1].lower() for text in lowest(project)}
        print(python, *(line for line in listed.stdout.split() if line.partition("==")[0].lower() in names))
        # What the packages say of each other's names is no news of ours.
        tests = [inside, "-m", "pytest", "-n", "auto", "-m", "quick", "-W", "ignore::DeprecationWarning"]
        return subprocess.run(tests, cwd=ROOT).returncode == 0


def main(which: str, *pythons: str) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [name for name in pythons or PYTHONS if shutil.which(name)]
    results = {python: run(which, python, project) for python in found}
    words = {True: "passed", False: "FAILED", None: "not tried"}
    print(*(f"{which} versions, {python}: {words[passed]}" for python, passed in results.items()), sep="\n")
    return 0 if any(results.values()) and False not in results.values() else 1


if __name__ == "__main__":
    if sys.argv[1:2] not in (["lowest"], ["newest"]):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
