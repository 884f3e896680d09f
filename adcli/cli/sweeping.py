"""What the commands that walk through sweeps share: which sweeps, and in how much detail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..language.numbers import Digits
from ..trace.choices import MODES, NUMBERINGS
from ..trace.model import Request
from .arguments import given_point, split_names
from .options import KINKS, Option

SWEEPS = (
    Option(("--at",), "at", "The point; values may be expressions (x=pi/2).", "x1=2,x2=5", many=True),
    Option(("--mode",), "mode", "Which sweeps.", choices=MODES, default="both"),
    Option(("--wrt",), "wrt", "Forward mode for these inputs only.", "x1", many=True),
    Option(("--seed",), "seed", "Direction of inputs, or weights of outputs.", "x1=1,x2=0.5", many=True),
    Option(("--numbering",), "numbering", "Rows by height, or by nested calls.", choices=NUMBERINGS, default="level"),
    Option(("--cse",), "cse", "Make identical subexpressions one row."),
    Option(("--places",), "places", "Decimals.", between=(0, 17), default=3),
    Option(("--digits",), "digits", "Significant digits, instead of --places.", between=(1, 17)),
    KINKS,
)
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
