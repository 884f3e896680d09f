"""Why something about a kink stays undecided: the exceptions with which the arithmetics of this room give up."""

from __future__ import annotations


class Unknown(ArithmeticError):
    """A sign that no enclosure shows, a value that does not exist, or too much work; the text says which."""


class Flat(Unknown):
    """The known terms of a series do not tell; more terms may."""


class Outside(ArithmeticError):
    """The function does not go on to this side: an operation leaves its domain there."""


class Finer(ArithmeticError):
    """A root has no series in the present root of the distance; one `times` as high is needed."""

    def __init__(self, times: int) -> None:
        super().__init__(times)
        self.times = times


WITHOUT_VALUE = "an operation without a value"  # why something is not known
