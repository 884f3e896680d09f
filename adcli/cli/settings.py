"""What a user has settled once: a small file of TOML, of which the command line has the last word."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

from ..errors import RequestError
from .note_kinds import topics_of

VARIABLE = "ADCLI_SETTINGS"  # another file; none where it is empty
_NAME = os.path.join("adcli", "settings.toml")
_MOST = 64_000  # bytes; what is longer is something else
_KEY = "no-note"


def settings_path() -> str | None:
    """The file that is asked for settings, whether it is there or not: in the folder that the system has for them."""
    if VARIABLE in os.environ:
        return os.environ[VARIABLE] or None
    root = os.environ.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(root):  # the convention has no others
        return os.path.join(root, _NAME)
    if sys.platform == "win32":
        root = os.environ.get("APPDATA", "")
        return os.path.join(root, _NAME) if root else None
    home = os.path.expanduser("~")
    return os.path.join(home, ".config", _NAME) if os.path.isabs(home) else None


def silenced(no_note: Iterable[str], settings: bool = True) -> frozenset[str]:
    """The kinds of notes that are left out: those asked for on the command line, and those of the settings."""
    found = set(topics_of(no_note, "--no-note"))
    path = settings_path() if settings else None
    if path is not None and (VARIABLE in os.environ or os.path.lexists(path)):
        found |= _of_file(path)
    return frozenset(found)


def state() -> str:
    """Which file of settings is in use, and what it says."""
    path = settings_path()
    if path is None:
        return "no file is asked for"
    if not os.path.lexists(path):
        return f"{path} (not there)"
    try:
        found = _of_file(path)
    except RequestError as error:
        return f"{path} ({error.label or error.title})"
    return f"{path} ({_KEY}: {', '.join(sorted(found)) or 'none'})"


def _of_file(path: str) -> set[str]:
    """The kinds of notes that a file of settings leaves out.  Raises RequestError for what is no such file."""
    advice = f"mend it; without it: {VARIABLE}= adcli …"
    text = _text(path, advice)
    import tomllib  # most have no such file

    try:
        settings = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RequestError(f"the settings in {path} cannot be read", label=str(error), help=advice) from None
    except RecursionError:
        raise RequestError(f"the settings in {path} cannot be read", label="nested too deeply", help=advice) from None
    for key in settings:
        if key != _KEY:
            label = f"the setting {key[:40]} is not known"
            raise RequestError(f"the settings in {path} cannot be read", label=label, help=f"there is one: {_KEY}")
    value = settings.get(_KEY, [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        example = f'write it as {_KEY} = ["log", "order"]'
        raise RequestError(f"the settings in {path} cannot be read", label=f"{_KEY} is no list of texts", help=example)
    return set(topics_of(texts, path))


def _text(path: str, advice: str) -> str:
    import stat

    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
            raise RequestError(f"the settings in {path} cannot be read", label="this is no file", help=advice)
        with open(path, "rb") as stream:
            data = stream.read(_MOST + 1)
        if len(data) > _MOST:
            label = f"more than {_MOST:,} bytes"
            raise RequestError(f"the settings in {path} cannot be read", label=label, help=advice)
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise RequestError(f"the settings in {path} cannot be read", label="this is no UTF-8", help=advice) from None
    except (OSError, ValueError) as error:
        label = getattr(error, "strerror", "") or "there is no such file"
        raise RequestError(f"the settings in {path} cannot be read", label=label, help=advice) from None
