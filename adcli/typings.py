"""The names of `typing` for annotations: type checkers read the real ones, a running program gets placeholders, because
importing `typing` takes a tenth of the start-up of a small evaluation.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import *  # noqa: F403

    from typing_extensions import override as override  # in `typing` from Python 3.12 on
else:

    class Placeholder:
        """An annotation that says nothing to a running program, with or without type arguments."""

        __slots__ = ()

        def __class_getitem__(cls, _):
            return cls

    Any = BinaryIO = ClassVar = Final = Generic = Literal = NoReturn = Protocol = Self = SupportsFloat = Placeholder
    TextIO = TypeAlias = TypeGuard = Unpack = Placeholder

    def TypeVar(*_, **__):  # noqa: N802 - as in `typing`
        return Placeholder

    ParamSpec = TypeVar

    def TypeVarTuple(*_, **__):  # noqa: N802
        return ()

    def cast(_, value):
        return value

    def final(decorated):
        return decorated

    overload = override = final
