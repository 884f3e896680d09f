"""Files that a command line names: their bytes, and the key of a homework."""

from __future__ import annotations

from ..classroom.key import Key, read_key
from ..errors import OutputProblem, RequestError


def key_of(path: str) -> tuple[Key, str]:
    """The key in a file, and its text."""
    text = file_bytes(path).decode("utf-8", "replace").removeprefix("\ufeff")
    return read_key(text, path), text


def file_bytes(path: str, most: int = -1) -> bytes:
    """What a file holds, or its first bytes."""
    try:
        with open(path, "rb") as stream:
            return stream.read(most)
    except IsADirectoryError:
        raise RequestError(f"{path} is a folder", help="name a file") from None
    except (OSError, ValueError) as error:
        raise RequestError(f"cannot read {path}", label=getattr(error, "strerror", "") or "") from None


def save(path: str, data: bytes) -> None:
    """The file holds these bytes.  Raises OutputProblem."""
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except OSError as error:
        raise OutputProblem(f"cannot write {path}", label=error.strerror or "") from None
