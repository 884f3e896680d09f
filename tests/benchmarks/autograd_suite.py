"""Runs the tests of HIPS/autograd against `adcli.python`, with nothing changed but their imports.  By hand:

    pip download autograd --no-binary :all: --no-deps && tar xf autograd-*.tar.gz
    python tests/benchmarks/autograd_suite.py autograd-1.9.1

Of the repository's head pass 599 of 618, all 89 of autograd.scipy among them (13 more are about xarray, and skip where
that is not installed).  The others:

     8  use what is inside of autograd: `const_graph` (2), deprecated decorators and checks (4), its own `isinstance`,
        its documentation
     5  are about autograd's own version of numpy.where, which keeps types that NumPy's does not
     6  call functions that NumPy lacks (`make_diagonal`, `diagonal`, `linalg.T`), convert a traced array with
        numpy.int64, ask for the list of a function's rules, or want an error where real transforms have a rule
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_LEFT_OUT = {"test_performance.py", "profiling.py"}
_IMPORTS = (
    (r"^(\s*)import autograd\.numpy as np", r"\1import numpy as np"),
    (r"^(\s*)import autograd\.numpy\.random as npr", r"\1import numpy.random as npr"),
    (r"\bautograd\.scipy\b", "adcli.python.scipy"),
    (r"from autograd(\.[a-z_]+)? import", "from autograd_names import"),
)


def main(folder: str) -> int:
    """The exit code of pytest."""
    here = Path(__file__).resolve().parent
    with tempfile.TemporaryDirectory() as work:
        for path in (Path(folder) / "tests").glob("*.py"):
            if path.name not in _LEFT_OUT and not path.name.startswith("_"):
                text = path.read_text(encoding="utf-8")
                for pattern, instead in _IMPORTS:
                    text = re.sub(pattern, instead, text, flags=re.MULTILINE)
                (Path(work) / path.name).write_text(text, encoding="utf-8")
        shutil.copy(here / "autograd_names.py", work)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=line", "-W", "ignore", "-p", "no:cacheprovider", "."]
        return subprocess.run(command, cwd=work, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
