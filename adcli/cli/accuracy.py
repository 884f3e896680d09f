"""The options on what numbers are made of, and on how far they can be trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import RequestError
from .options import Option

if TYPE_CHECKING:
    from ..notation.numbers import Digits
    from ..trace.model import Request

ACCURACY = (
    Option(("--exact",), "exact", "Integers and fractions as long as the operations allow."),
    Option(("--precision",), "precision", "Compute with N decimal digits and print them.", "N", between=(1, 4000)),
    Option(("--complex",), "complex", "Complex numbers, with principal branches; i is the imaginary unit."),
    Option(("--certify",), "certify", "Digits that are certain, and a warning where a double has lost them."),
    Option(("--conditioning",), "conditioning", "What each row does to rounding, and its share in the error, in ulps."),
    Option(("--verify",), "verify", "Compute in several ways and tell the largest disagreement."),
)


_CHECKS = ("conditioning", "certify", "verify")


def with_numbers(request: Request, flags: dict[str, Any]) -> Request:
    """The request with the numbers and the checks that the flags ask for."""
    if not any(flags[option.key] for option in ACCURACY):
        return request
    from ..trace.number_kinds import numbers_for

    numbers = numbers_for(flags["exact"], flags["precision"], flags["complex"], request.digits)
    checks = [name for name in _CHECKS if flags[name]]
    if numbers is not None and checks:
        raise RequestError(
            f"--{checks[0]} checks doubles",
            help=f"leave out --{checks[0]}, or --exact, --precision and --complex",
        )
    if flags["certify"] and request.mode != "value" and request.seed:
        raise RequestError("--certify encloses gradients, not products with a seed", help="leave out --seed")
    digits: Digits = request.digits if numbers is None else numbers.digits
    return request._replace(numbers=numbers, digits=digits, **{name: flags[name] for name in _CHECKS})
