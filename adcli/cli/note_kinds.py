"""Kinds of notes, and which of them --no-note and the settings file of the user hide."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator

from ..errors import RequestError
from .inputs import Inputs

# The manual says what each is about (adcli help notes); a function's name is the kind of the note about that name.
TOPICS = (
    "log", "order", "product", "notation", "names", "scripts", "constants", "inverse", "degrees", "percent",
    "brackets", "characters", "label", "broadcast", "sum", "cases", "rounded", "underflow", "point", "unused",
    "constant", "kink", "undefined", "infinite", "overflow", "conditioning", "inexact", "branch", "uncertain",
    "disagreement", "curvature", "domain", "cells", "work",
)  # fmt: skip


def topics_of(texts: Iterable[str], where: str) -> Iterator[str]:
    """Yield the kinds of notes named in `texts`, each of which may have commas; blanks and empty names are dropped.

    The name of a function with a note on how it is read, such as `log`, is a kind too; its main name is yielded. Raises
    RequestError, with `where` as the place of the text, for an unknown kind.
    """
    from ..table.primitive import lookup

    for text in texts:
        for topic in filter(None, (word.strip() for word in text.split(","))):
            row = lookup(topic)
            if topic not in TOPICS and (row is None or not row.reading):
                from ..table.suggest import did_you_mean

                advice = did_you_mean(topic, TOPICS, "all kinds of notes: adcli help notes")
                raise RequestError(f"there is no kind of note called {topic}", label=f"in {where}", help=advice)
            yield row.name if topic not in TOPICS and row is not None else topic


VARIABLE = "ADCLI_SETTINGS"  # the path of another file; empty: no settings
_NAME = os.path.join("adcli", "settings.toml")
_MOST = 64_000  # bytes; a longer file is not a settings file
_KEY = "no-note"


def settings_path() -> str | None:
    """Return the path of the settings file, whether or not it exists.

    The first that applies:

    - The environment variable ADCLI_SETTINGS is set: its value, or None if it is empty.
    - XDG_CONFIG_HOME is an absolute path: adcli/settings.toml in it.
    - On Windows: adcli/settings.toml in APPDATA, or None if that is not set.
    - Otherwise: adcli/settings.toml in ~/.config, or None if there is no home folder.
    """
    if VARIABLE in os.environ:
        return os.environ[VARIABLE] or None
    root = os.environ.get("XDG_CONFIG_HOME", "")
    if os.path.isabs(root):  # relative paths are ignored, by the convention
        return os.path.join(root, _NAME)
    if sys.platform == "win32":
        root = os.environ.get("APPDATA", "")
        return os.path.join(root, _NAME) if root else None
    home = os.path.expanduser("~")
    return os.path.join(home, ".config", _NAME) if os.path.isabs(home) else None


def hidden_notes(no_note: Iterable[str], settings: bool = True) -> frozenset[str]:
    """Return the kinds of notes to hide: those in `no_note` (texts of --no-note) and those of the settings file.

    The settings file is read only with `settings`. A file that does not exist is an error only if the environment
    variable names it. Raises RequestError for an unknown kind or a settings file that cannot be read.
    """
    kinds = set(topics_of(no_note, "--no-note"))
    path = settings_path() if settings else None
    if path is not None and (VARIABLE in os.environ or os.path.lexists(path)):
        kinds |= _read_settings(path)
    return frozenset(kinds)


def settings_state() -> str:
    """Return a text on the settings file for `adcli doctor`; "none" if the file has no path.

    The text is the path and, in brackets, "no-note: " and the sorted kinds of notes that the file hides ("no-note:
    none" if none), "not there", or the error in the file.
    """
    path = settings_path()
    if path is None:
        return "none"
    if not os.path.lexists(path):
        return f"{path} (not there)"
    try:
        kinds = _read_settings(path)
    except RequestError as error:
        return f"{path} ({error.label or error.title})"
    return f"{path} ({_KEY}: {', '.join(sorted(kinds)) or 'none'})"


def _read_settings(path: str) -> set[str]:
    """Return the kinds of notes that the settings file at `path` hides.

    They are the value of its key `no-note`, a text or a list of texts; empty if the key is missing. Raises RequestError
    if the file does not exist or cannot be read, is not TOML in UTF-8, has another key or value, or an unknown kind.
    """
    import tomllib  # most have no such file

    if os.path.exists(path) and not os.path.isfile(path):  # reading a pipe would wait
        raise _settings_error(path, "this is not a file")
    try:
        settings = tomllib.loads(Inputs(_MOST).text(path))
    except RequestError as error:
        raise _settings_error(path, error.label if error.span is None and error.label else error.title) from None
    except tomllib.TOMLDecodeError as error:
        raise _settings_error(path, str(error)) from None
    except RecursionError:
        raise _settings_error(path, "nested too deeply") from None
    for key in settings:
        if key != _KEY:
            raise _settings_error(path, f"the setting {key[:40]} is not known", f"there is one: {_KEY}")
    value = settings.get(_KEY, [])
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise _settings_error(path, f"{_KEY} is not a list of texts", f'write it as {_KEY} = ["log", "order"]')
    return set(topics_of(texts, path))


def _settings_error(
    path: str, reason: str, advice: str = f"correct it, or run without it: {VARIABLE}= adcli …"
) -> RequestError:
    return RequestError(f"the settings in {path} cannot be read", label=reason, help=advice)
