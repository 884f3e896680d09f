"""Files written whole or not at all."""

from __future__ import annotations

import os

from ..errors import OutputProblem


def written(path: str, text: str) -> None:
    """The file holds the text; whoever looks meanwhile sees what was there before.  Raises OutputProblem."""
    partial = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{os.getpid()}")
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(partial, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
        os.replace(partial, path)
    except OSError as error:
        raise OutputProblem(f"cannot write {path}", label=error.strerror or "") from None
