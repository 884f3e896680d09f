"""What the commands that walk through sweeps share: which sweeps, and in how much detail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..notation.numbers import Digits
from ..trace.model import Request
from .arguments import given_point, split_names
from .options import AT, CSE, DIGITS, KINKS, MODE, NUMBERING, PLACES, SEED, WRT, Option

SWEEPS = (AT, MODE, WRT, SEED, NUMBERING, CSE, PLACES, DIGITS, KINKS)
DETAIL = Option(
    ("--detail",),
    "detail",
    "The steps, or also why it is each row's turn, and the search for the tape; full where one steps through.",
    choices=("short", "full"),
)


def sweeps(flags: Mapping[str, Any]) -> Request:
    """The request that the options of SWEEPS stand for."""
    return Request(
        mode=flags["mode"], wrt=split_names(flags["wrt"]), seed=given_point(flags["seed"], "--seed") or None,
        numbering=flags["numbering"], cse=flags["cse"], kinks=flags["kinks"],
        digits=Digits(flags["places"], flags["digits"]),
    )  # fmt: skip
