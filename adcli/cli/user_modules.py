"""Modules of the user: Python files that a command line names, run by the command."""

from __future__ import annotations

import importlib.util
import linecache
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from ..errors import AdcliError, RequestError, Source, Span, unexpected_error
from ..graph.recording import shown_path
from .inputs import Inputs

_PREFIX = "adcli_user_"  # of the names of these modules


def load_module(path: str, inputs: Inputs) -> ModuleType:
    """Run the Python file at `path` and return its module.

    The module stays in sys.modules under a new name for each call, also after an error; its folder is on sys.path while
    it runs. Each call runs the file again. Raises RequestError if the file does not exist, has no suffix of Python, is
    too large, or is the file of the output. Raises RequestError with the place in the file if its code fails or exits.
    An AdcliError raised by the file gets this place if it has no place.
    """
    file = Path(path)
    if not file.is_file():
        raise RequestError(f"there is no file called {path}", help="name a Python file")
    inputs.check_file(path)
    name = f"{_PREFIX}{len(sys.modules)}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise RequestError(f"{path} is not a Python file", help="name a file that ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses and the like look for it
    folder = str(file.resolve().parent)
    sys.path.insert(0, folder)
    try:
        spec.loader.exec_module(module)
    except AdcliError as error:
        error.span = error.span or _find_failing_line(error, spec.origin or path)
        raise
    except (Exception, SystemExit) as error:
        raise user_code_error(path, error, _find_failing_line(error, spec.origin or path)) from None
    finally:
        if folder in sys.path:  # the module may have changed the path, too
            sys.path.remove(folder)
    return module


def explain_failure(error: Exception) -> AdcliError:
    """Return the message for `error`, an exception that is not an AdcliError.

    The message shows the line of the user's module that the exception passed through last, such as that of a rule of a
    function. If it did not pass through a user's module, return `unexpected_error(error)`.
    """
    steps = traceback.walk_tb(error.__traceback__)
    files = [frame.f_code.co_filename for frame, _ in steps if frame.f_globals.get("__name__", "").startswith(_PREFIX)]
    if not files:
        return unexpected_error(error)
    return user_code_error(shown_path(files[-1]), error, _find_failing_line(error, files[-1]))


def user_code_error(what: str, error: BaseException, span: Span | None) -> RequestError:
    """Return an exception of the user's code as a RequestError at its place.

    `what` is the file or function that fails.
    """
    description = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return RequestError(f"{what} fails", span, description, help="correct the Python code, or choose another point")


def _find_failing_line(error: BaseException, file: str) -> Span | None:
    """Return the span of the line of `file` where an exception was raised.

    It is the innermost such line, or that of a syntax error. None if no line of the file is involved.
    """
    line = error.lineno if isinstance(error, SyntaxError) and error.filename == file else None
    for step in traceback.extract_tb(error.__traceback__):
        if step.filename == file:
            line = step.lineno
    lines: Sequence[str] = linecache.getlines(file)
    if line is None or line > len(lines):
        return None
    source = Source("".join(lines), shown_path(file))
    start = sum(map(len, lines[: line - 1]))
    text = lines[line - 1]
    return Span(start + len(text) - len(text.lstrip()), start + len(text.rstrip()), source)
