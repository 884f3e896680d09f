"""What the commands that walk through sweeps share: which sweeps, in how much detail, and the page to step through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import RequestError
from ..language.numbers import Digits
from ..trace.choices import MODES, NUMBERINGS
from ..trace.model import Request
from .arguments import given_point, split_names
from .options import KINKS, Option

if TYPE_CHECKING:
    from ..trace.model import Trace

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
    "The steps alone, or also why it is each row's turn, and the search that makes the tape.",
    choices=("short", "full"),
    default="short",
)
INTERACTIVE = Option(("--interactive",), "interactive", "One HTML page to step through, with graph, table and sentences.")


def sweeps(flags: Mapping[str, Any]) -> Request:
    """The request that the options of SWEEPS stand for."""
    return Request(
        mode=flags["mode"], wrt=split_names(flags["wrt"]), seed=given_point(flags["seed"], "--seed") or None,
        numbering=flags["numbering"], cse=flags["cse"], kinks=flags["kinks"],
        digits=Digits(flags["places"], flags["digits"]),
    )  # fmt: skip


def interactive(flags: Mapping[str, Any]) -> str | None:
    """`html` where a page to step through is wanted, else None."""
    if not flags["interactive"]:
        return None
    if flags["wanted"] not in (None, "html"):
        raise RequestError(
            f"--interactive makes an HTML page, --format says {flags['wanted']}", help="leave one of them out"
        )
    return "html"


def page_title(traces: Sequence[Trace]) -> str:
    """What a page about these traces is called."""
    return traces[0].label or traces[0].expression if len(traces) == 1 else f"{len(traces)} expressions"
