"""Python files of the user's, run because a command line names them."""

from __future__ import annotations

import importlib.util
import linecache
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from ..errors import AdcliError, RequestError, Source, Span
from ..graph.recording import shown_path
from .inputs import Inputs


def load_module(path: str, inputs: Inputs) -> ModuleType:
    """The module that a file makes; it is run.  Raises RequestError where that fails, with the place in the file."""
    file = Path(path)
    if not file.is_file():
        raise RequestError(f"there is no file {path}", help="name a file of Python")
    inputs.checked(path)
    name = f"adcli_user_{len(sys.modules)}_{file.stem}"
    found = importlib.util.spec_from_file_location(name, file)
    if found is None or found.loader is None:
        raise RequestError(f"{path} is no file of Python", help="its name ends in .py")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # where dataclasses and the like look for it
    sys.path.insert(0, str(file.resolve().parent))
    try:
        found.loader.exec_module(module)
    except AdcliError as error:
        raise _at(error, _where(error, found.origin or path)) from None
    except (Exception, SystemExit) as error:
        raise user_code_error(path, error, _where(error, found.origin or path)) from None
    finally:
        sys.path.pop(0)
    return module


def user_code_error(what: str, error: BaseException, span: Span | None) -> RequestError:
    """An exception of the user's own code as an error of the request, at its place."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return RequestError(f"{what} fails", span, said, help="mend the Python code, or choose another point")


def _at(error: AdcliError, span: Span | None) -> AdcliError:
    error.span = error.span or span
    return error


def _where(error: BaseException, file: str) -> Span | None:
    """The line of a file that an exception was raised on."""
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
