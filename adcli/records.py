"""Records: named tuples whose definition costs an eighth of the time, because `typing.NamedTuple` compiles every
annotation and a constructor for each class; the base class of objects that are equal by their contents; and pairs that
are grouped.
"""

from __future__ import annotations

from .typings import TYPE_CHECKING, Self, override


class ValueObject:
    """An object that nothing changes: it equals others of its class with the same `_identity`, and is its own copy."""

    __slots__ = ()

    def _identity(self) -> Hashable:
        """Return what equality and hashing compare."""
        raise NotImplementedError

    @override
    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._identity() == other._identity()

    @override
    def __hash__(self) -> int:
        return hash(self._identity())

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the second items of `pairs` by the first ones, which come in the order of their first pairs."""
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from typing import NamedTuple as NamedTuple
    from typing import TypeVar

    K = TypeVar("K")
    V = TypeVar("V")
else:
    from collections import _tuplegetter  # what `namedtuple` has: quicker than a property

    class _Named(tuple):
        """The base class of all named tuples."""

        __slots__ = ()
        _fields = ()
        _defaults = ()

        def __new__(cls, /, *values, **named):
            """Make a record of `values` for the first fields and `named` ones for others; the rest get their defaults.

            Raises TypeError for a missing, repeated or unknown field.
            """
            if named or len(values) != len(cls._fields):
                lacking, defaults = len(cls._fields) - len(values), cls._defaults
                if named or not 0 < lacking <= len(defaults):
                    values = _complete(cls, values, named)
                else:
                    values += defaults[-lacking:]
            return tuple.__new__(cls, values)

        @classmethod
        def _make(cls, iterable):
            record = tuple.__new__(cls, iterable)
            if len(record) != len(cls._fields):
                raise TypeError(f"{cls.__name__} has {len(cls._fields)} fields, not {len(record)}")
            return record

        def _replace(self, /, **changes):
            record = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"{type(self).__name__} has no field {next(iter(changes))!r}")
            return record

        def __repr__(self):
            fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({fields})"

        def __getnewargs__(self):
            return tuple(self)

        __replace__ = _replace

    def _complete(cls, values, named):
        """Return the values of all fields: `values` for the first ones, then those in `named`, then defaults. Raises
        TypeError for a missing, repeated or unknown field."""
        fields, defaults = cls._fields, cls._field_defaults
        try:
            rest = [named.pop(field) if field in named else defaults[field] for field in fields[len(values) :]]
        except KeyError as error:
            raise TypeError(f"{cls.__name__} needs a value for {error}") from None
        if named or len(values) > len(fields):
            raise TypeError(f"{cls.__name__} has no more fields than {', '.join(fields)}, and each has one value")
        return (*values, *rest)

    class _NamedFields(type):
        """A metaclass that turns the annotated fields of a class into a named tuple."""

        def __new__(cls, name, bases, body):
            """Return the class `name` as a subclass of tuple, with its annotated fields in the order of the class body.

            Values in the body are the defaults of the fields. A class without bases (NamedTuple) is made as usual; of
            other bases (Generic) nothing is kept.
            """
            if not bases:  # NamedTuple itself
                return super().__new__(cls, name, bases, body)
            fields = tuple(body["__annotations__"])
            defaults = {field: body[field] for field in fields if field in body}
            body |= {field: _tuplegetter(place, "") for place, field in enumerate(fields)}
            body |= {"__slots__": (), "_fields": fields, "__match_args__": fields, "_field_defaults": defaults}
            return type(name, (_Named,), {**body, "_defaults": tuple(defaults.values())})

    class NamedTuple(metaclass=_NamedFields):
        """A replacement of `typing.NamedTuple` for classes without further base classes, except Generic."""
