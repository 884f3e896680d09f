"""A reader of printed LaTeX with a grammar of its own, which refuses what people could read in two ways.

A function without brackets takes one fraction, root, fence or name (with its exponent), one number, or a number and the
name after it; what else stands beside it has to be another function, or come after a dot.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from operator import eq, ge, gt, le, lt, ne

_TOKENS = re.compile(
    r"\s+|\\(?:begin|end)\{cases\}|\\,|\\operatorname\{[^}]*\}|\\math(?:rm|bin)\{[^}]*\}|\\textnormal\{[^}]*\}|\\[A-Za-z]+|\\.|\d+\.?\d*|\.\d+|."
)
_GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi"
_LETTERS = frozenset(
    [
        *_GREEK.split(),
        "omega",
        *["Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega"],
    ]
)
_RELATIONS = {"<": lt, ">": gt, r"\le": le, r"\ge": ge, "=": eq, r"\ne": ne}
_SIZES = (r"\,", r"\;", r"\left", r"\right")
_CLOSING = {r"\lfloor": r"\rfloor", r"\lceil": r"\rceil", r"\lvert": r"\rvert", "(": ")"}


Meaning = Callable[[str, list[float]], float]


class Unclear(Exception):
    """What is printed has no meaning, or more than one."""


class Reader:
    """One formula, read from left to right; `call(name, arguments)` is the value of a function."""

    def __init__(self, text: str, at: Mapping[str, float], call: Meaning) -> None:
        text = text.replace(r"\left|", r"\lvert ").replace(r"\right|", r"\rvert ")
        self.tokens = [
            t for t in _TOKENS.findall(text) if not t.isspace() and t not in (r"\,", r"\left", r"\right", r"\;")
        ]
        self.place, self.at, self.call = 0, at, call

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def around(self) -> str:
        return "".join(self.tokens[max(0, self.place - 8) : self.place + 8])

    def take(self, *expected: str) -> str:
        sign = self.peek()
        if not sign or (expected and sign not in expected):
            raise Unclear(f"{sign!r} at {self.around()}, not {expected}")
        self.place += 1
        return sign

    def group(self) -> float:
        self.take("{")
        value = self.sum()
        self.take("}")
        return value

    def script(self) -> float:
        if self.peek() == "{":
            return self.group()
        sign = self.take()
        if len(sign) > 1 and sign[0].isdecimal():  # 2^10 is 2^1 0
            raise Unclear(sign)
        return float(sign) if sign[0].isdecimal() else self.named(sign)

    # conditions ---------------------------------------------------------------------------------------------------
    def condition(self) -> float:
        value = self.conjunction()
        while self.peek() == r"\lor":
            self.take()
            value = float(bool(self.conjunction()) | bool(value))
        return value

    def conjunction(self) -> float:
        value = self.negation()
        while self.peek() == r"\land":
            self.take()
            value = float(bool(self.negation()) & bool(value))
        return value

    def negation(self) -> float:
        if self.peek() == r"\lnot":
            self.take()
            return 1.0 - self.negation()
        left = self.sum()
        if self.peek() in _RELATIONS:
            holds = _RELATIONS[self.take()]
            return float(holds(left, self.sum()))
        return left

    # sums and products --------------------------------------------------------------------------------------------
    def sum(self) -> float:
        sign = 1.0
        if self.peek() == "-":
            self.take()
            sign = -1.0
        value = sign * self.term()
        while self.peek() in ("+", "-"):
            sign = 1.0 if self.take() == "+" else -1.0
            value += sign * self.term()
        return value

    def term(self) -> float:
        value, bare, number = self.factor(first=True)
        count = 1
        while True:
            sign = self.peek()
            if sign == r"\bmod":
                if count > 1 or bare:
                    raise Unclear("mod beside a product")
                self.take()
                right, bare, _ = self.factor(first=True)
                if bare:
                    raise Unclear("mod before a function")
                value, count = self.call("mod", [value, right]), 2
                if self.starts() or self.peek() in (r"\cdot", r"\bmod"):
                    raise Unclear("mod beside a product")
                return value
            if sign == r"\cdot":
                self.take()
                right, bare, number = self.factor(first=True)
            elif self.starts():
                if sign[0].isdecimal() or (number and sign == r"\frac") or (bare and not self.is_function()):
                    raise Unclear(f"{sign} at {self.around()}")
                right, bare, number = self.factor(first=False)
            else:
                return value
            value, count = value * right, count + 1

    def starts(self) -> bool:
        sign = self.peek()
        return bool(sign) and (
            sign[0].isalnum()
            or sign in (r"\frac", r"\sqrt", r"\infty", r"\begin{cases}", *_CLOSING)
            or sign[1:] in _LETTERS
            or sign.startswith((r"\mathrm", r"\textnormal"))
            or self.is_function()
        )

    def is_function(self) -> bool:
        sign = self.peek()
        following = self.tokens[self.place + 1 : self.place + 2]
        if sign in (r"\Gamma", r"\psi", r"\sigma", r"\zeta", "W", "P", "Q", "B"):
            return following in (["("], ["_"]) if sign == "W" else following == ["("]
        if sign in (r"\Phi", r"\phi") and sign[1:] not in self.at:
            return following in (["("], ["^"])
        if sign in _INDEXED and following == ["_"] and "(" in self.tokens[self.place + 2 :]:
            depth, place = 0, self.place + 2
            while place < len(self.tokens):  # over the index
                depth += (self.tokens[place] == "{") - (self.tokens[place] == "}")
                place += 1
                if not depth:
                    break
            return self.tokens[place : place + 1] == ["("]
        return sign.startswith(r"\operatorname") or sign[1:] in _COMMANDS

    def factor(self, first: bool) -> tuple[float, bool, bool]:
        """A factor; whether it ends in a function without brackets; whether it is a number."""
        if self.is_function():
            return self.function()
        number = self.peek()[:1].isdecimal()
        value = self.atom()
        number = number and self.peek() not in ("^", "!")
        return self.powered(value), False, number

    def powered(self, value: float) -> float:
        raised = False
        while self.peek() in ("^", "!"):
            if self.take() == "!":
                if raised:
                    raise Unclear("a power before !")
                value = self.call("factorial", [value])
            elif raised:
                raise Unclear("two exponents")
            else:
                value, raised = self.call("pow", [value, self.script()]), True
        return value

    def atom(self) -> float:
        sign = self.take()
        if sign[0].isdecimal():
            return float(sign)
        if sign in _CLOSING:
            value = self.condition()
            self.take(_CLOSING[sign])
            name = {r"\lfloor": "floor", r"\lceil": "ceil", r"\lvert": "abs"}.get(sign)
            return self.call(name, [value]) if name else value
        if sign == r"\frac":
            above = self.group()
            return self.call("div", [above, self.group()])
        if sign == r"\begin{cases}":
            return self.cases()
        if sign == r"\sqrt":
            degree = 2.0
            if self.peek() == "[":
                self.take()
                degree = self.sum()
                self.take("]")
            return self.call("root", [self.group(), degree])
        return self.named(sign)

    def cases(self) -> float:
        """A value and its condition, then the value otherwise."""
        yes = self.condition()
        self.take("&")
        self.take(r"\textnormal{if }")
        condition = self.condition()
        self.take("\\\\")
        no = self.condition()
        self.take("&")
        self.take(r"\textnormal{otherwise}")
        self.take(r"\end{cases}")
        return self.call("if", [condition, yes, no])

    def named(self, sign: str) -> float:
        """A name with its index and primes."""
        stem = re.sub(r"\\(?:mathrm|textnormal)\{([^}]*)\}", r"\1", sign).lstrip("\\")
        if not stem or not (stem[0].isalpha()):
            raise Unclear(f"{sign!r} at {self.around()}")
        index = ""
        if self.peek() == "_":
            self.take()
            if self.peek() == "{":
                end = self.tokens.index("}", self.place)
                index = "".join(self.tokens[self.place + 1 : end]).replace("\\_", "_")
                self.place = end + 1
            else:
                index = self.take()
        primes = ""
        while self.peek() == "'":
            primes += self.take()
        for name in (f"{stem}_{index}{primes}", f"{stem}{index}{primes}"):
            if name in self.at:
                return self.at[name]
        known = {"pi": math.pi, "e": math.e, "tau": math.tau}
        if stem in known and not index and not primes:
            return known[stem]
        raise Unclear(f"no name {stem}_{index}")

    def function(self) -> tuple[float, bool, bool]:
        name = re.sub(r"\\operatorname\{([^}]*)\}", r"\1", self.take()).lstrip("\\").replace("\\_", "_")
        index = exponent = None
        if self.peek() == "_":
            self.take()
            index = self.script()
        if self.peek() == "^":
            self.take()
            exponent = self.script()
        bare = self.peek() != "("
        if bare:
            arguments = [self.argument()]
        else:
            self.take("(")
            arguments = [self.condition()]
            while self.peek() == ",":
                self.take()
                arguments.append(self.condition())
            self.take(")")
            if self.peek() in ("^", "!"):
                raise Unclear("an exponent after the brackets of a function")
        value = self.call(name, arguments if index is None else [*arguments, index])
        return (value if exponent is None else self.call("pow", [value, exponent])), bare, False

    def argument(self) -> float:
        if self.is_function():
            raise Unclear("a function of a function without brackets")
        sign = self.peek()
        if sign[:1].isdecimal():
            value = float(self.take())
            if self.peek() in ("^", "!"):
                return self.powered(value)
            following = self.peek()
            if self.starts() and not self.is_function() and following not in (*_CLOSING, r"\frac", r"\sqrt"):
                value *= self.named(self.take())
                if self.peek() in ("^", "!"):
                    raise Unclear("a power at the end of a product")
            return value
        return self.powered(self.atom())


_INDEXED = ("j", "J", "Y", "I", "K", "H", "E")
_COMMANDS = frozenset("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp log max min".split())  # noqa: SIM905


def value_of(text: str, at: Mapping[str, float], call: Meaning) -> float:
    """The value of a printed formula at a point."""
    reader = Reader(text, at, call)
    value = reader.condition()
    if reader.peek():
        raise Unclear(f"{reader.peek()!r} remains: {''.join(reader.signs[reader.place :])[:60]}")
    return value
