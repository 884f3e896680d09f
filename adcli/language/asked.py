r"""What is asked for in the place of an expression: derivatives, integrals, limits, and sums written in other ways.

`d/dx x^2`, `(x^2)'`, `\frac{\partial}{\partial x}`, `int x dx`, `lim`, `sum i=1 to 10`: none of these is a variable.
Each is answered with the command that does it and the user's own expression, or refused by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice

from ..errors import AdcliError, ArityProblem, NameProblem, OtherCommand, RequestError, Source, Span, SyntaxProblem
from ..patterns import pattern
from ..table.primitive import lookup
from .asked_derivatives import derivatives, primes
from .asked_sums import OtherSum, other_sum
from .asked_text import MOST, NAME, Inquiry, assigned, closing, parts, plain, quoted, statement
from .tokens import plain_spelling

# The inputs of a program; raises what is wrong with it.
Reader = Callable[[Source, Collection[str]], Collection[str]]


def request(source: Source, known: Collection[str], read: Reader) -> AdcliError | None:
    """The answer to a text that asks for what is no part of an expression; None where it does not.

    `known` are names that have a value: with these `d/dx` is a quotient.
    """
    text = plain_spelling(source.text)
    known = {*known, *assigned(text)}
    asked = next(_all(text, known), None)
    summed = other_sum(text, known)
    if summed is not None and (asked is None or asked.start > summed.start):
        return _written_otherwise(source, summed, known, read)
    if asked is None:
        return None
    if asked.what == "integral":
        return _integral(source, asked)
    if asked.what == "limit":
        title, label = f"{_sign(source, asked)} asks for a limit", "expressions have values at points"
        return SyntaxProblem(title, _span(source, asked), label, help=_near_by(asked, known, read))
    if asked.what.startswith("algebra "):
        advice = f"that is for computer algebra, such as sympy.{asked.what.partition(' ')[2]}"
        title = f"{_sign(source, asked)} asks for algebra"
        return SyntaxProblem(title, _span(source, asked), "adcli differentiates", help=advice)
    return _Referral(source, asked, known, read).error()


def _all(text: str, known: Collection[str]) -> Iterator[Inquiry]:
    """All that is asked for, the surest signs first."""
    yield from derivatives(text, known)
    yield from _integrals(text, known)
    yield from _limits(text, known)
    yield from _words(text, known)
    yield from primes(text, known)
    for match in _PARTIAL.finditer(text):
        yield Inquiry("derivative", *match.span())


# --- integrals, limits, commands --------------------------------------------------------------------------------------

_PARTIAL = pattern(r"∂|\\partial(?![a-zA-Z])", signs=("∂", "partial"))
_INTEGRAL = pattern(
    r"[∫∬∭∮⨌]|\\(?:i{0,3}int|oint|idotsint|intop)(?![a-zA-Z])"
    r"|(?<![\w\\])(?:[Ii]nt|[Ii]ntegral|[Ii]ntegrate|antiderivative|quad)(?=\s*+[(\[]|_|\s++(?:of\s)?\s*+[\w(\\|√])",
    signs=("∫", "∬", "∭", "∮", "⨌", "int", "Int", "antiderivative", "quad"),
)
_LIMIT = pattern(
    r"\\(?:lim|limsup|liminf|varlimsup|varliminf)(?![a-zA-Z])"
    r"|(?<![\w\\])(?:[Ll]im|[Ll]imit|limes)(?=\s*+[(\[{_]|\s++(?:of\s|as\s)?\s*+[\w(\\])",
    signs=("lim", "Lim"),
)
_TARGET = pattern(
    rf"({NAME})\s*+(?:\\(?:to|rightarrow|longrightarrow|downarrow|uparrow|nearrow)(?![a-zA-Z])|->|-->|→|⟶|=>)\s*+"
    r"([-+]?(?:\\?infty|∞|inf(?:inity)?|oo|[^\s,;(){}^]++))(?:\s*+\^?\s*+\{?[-+]\}?)?"
)


def _is_name(text: str, match: re.Match[str], known: Collection[str]) -> bool:
    """Whether a word is a name that has a value, or is only multiplied."""
    whole = re.compile(r"[^\W\d]\w*").match(text, match.start())
    return whole is not None and (whole.group() in known or match.group() in known)


def _integrals(text: str, known: Collection[str]) -> Iterator[Inquiry]:
    for match in islice(_INTEGRAL.finditer(text), MOST):
        if _is_name(text, match, known):
            continue
        if text[match.end() : match.end() + 1] == "_" and not re.compile(
            r"_\s*+(?:\{[^{}]*+\}|\([^()]*+\)|[^\s^{}()]++)\s*+\^|_\{?\w*+\}?\s++.*\bd[a-z]\b"
        ).match(text, match.end()):
            continue  # Int_0 is a name
        yield Inquiry("integral", *match.span())


def _limits(text: str, known: Collection[str]) -> Iterator[Inquiry]:
    for match in islice(_LIMIT.finditer(text), MOST):
        if _is_name(text, match, known):
            continue
        start, (_, stop) = match.start(), statement(text, match.start())
        target = _TARGET.search(text, match.end(), min(stop, match.end() + 80))
        if target is None:
            called = closing(text, match.end(), stop) if text[match.end() : match.end() + 1] in ("(", "[") else None
            pieces = parts(text[match.end() + 1 : called - 1]) if called else []
            if len(pieces) > 2 and re.fullmatch(NAME, pieces[1].strip()):
                yield Inquiry("limit", start, match.end(), pieces[0].strip(), (pieces[1].strip(), pieces[2].strip()))
            else:
                yield Inquiry("limit", start, match.end())
            continue
        end = target.end()
        while end < stop and text[end] in "})] ,:\t":
            end += 1
        operand = text[end:stop].strip()
        before = re.sub(r"\A\s*+(?:of|for)\s|\s(?:as|for)\s*+\Z", "", text[match.end() : target.start()]).strip(
            " ({[_,"
        )
        if not operand and re.search(r"\w", before):  # limit of sin(x)/x as x -> 0
            operand = before
        yield Inquiry("limit", start, match.end(), operand, (plain(target[1]), target[2]))


_COMMANDS = {
    "diff": "diff", "derivative": "diff", "differentiate": "diff", "derive": "diff", "Derivative": "diff", "D": "diff",
    "grad": "gradient", "gradient": "gradient", "Grad": "gradient", "jacobian": "gradient", "hessian": "hessian",
    "Hessian": "hessian", "partial": "diff", "taylor": "taylor", "series": "taylor", "Series": "taylor", "plot": "plot",
    "Plot": "plot", "deriv": "diff", "ddx": "diff", "nabla": "gradient",
}  # fmt: skip
_ALGEBRA = {
    "simplify": "simplify", "Simplify": "simplify", "solve": "solve", "Solve": "solve", "factor": "factor",
    "Factor": "factor", "expand": "expand", "Expand": "expand", "roots": "roots", "minimize": "minimize",
    "maximize": "maximize", "fsolve": "nsolve", "NSolve": "nsolve", "limit": "limit", "dsolve": "dsolve",
    "residue": "residue", "laplace": "laplace_transform", "fourier": "fourier_transform",
}  # fmt: skip
_WORD = pattern(
    rf"(?<![\w\\.'])(?P<word>{'|'.join(sorted({*_COMMANDS, *_ALGEBRA}, key=len, reverse=True))})"
    r"(?:\s*+(?P<call>[(\[])|(?P<of>\s++(?:of\s++)?)(?=[\w(\\|√]))",
    signs=(*_COMMANDS, *_ALGEBRA),
)
_BY = pattern(
    rf" (?:with\s++respect\s++to|w\.?\s?r\.?\s?t\.?|by|in)\s++({NAME})(?:\s++(?:at|for|where)\s++([^;]++))?\s*+\Z"
)


def _words(text: str, known: Collection[str]) -> Iterator[Inquiry]:
    """`differentiate x^2`, `diff(x^2, x)`, `D[x^2, x]`, `gradient of x*y`, `solve x^2 = 4`."""
    for match in islice(_WORD.finditer(text), MOST):
        word, start, end = match["word"], match.start("word"), match.end("word")
        if word in known or (word == "D" and not match["call"]):
            continue
        _, stop = statement(text, start)
        what = _COMMANDS.get(word) or f"algebra {_ALGEBRA[word]}"
        if match["call"]:
            close = closing(text, match.start("call"), stop)
            if close is None:
                continue
            first, *others = parts(text[match.start("call") + 1 : close - 1]) or [""]
            if word in ("D", "partial") and not others and match["call"] == "(":
                yield Inquiry(what, start, end, first.strip())
                continue
            yield _with_arguments(what, start, end, first.strip(), others, bool(text[close:stop].strip()))
            continue
        rest = " ".join(text[match.end() : stop].split())
        by = _BY.search(rest)
        operand = rest[: by.start()] if by else rest
        yield Inquiry(
            what, start, end, operand.strip(), (plain(by[1]),) if by else (), at=(by[2] or "").strip() if by else ""
        )


def _with_arguments(what: str, start: int, end: int, operand: str, others: Sequence[str], rest: bool) -> Inquiry:
    """A command written as a function: what follows its operand is by what, how often, and where."""
    names: list[str] = []
    order, at = 1, ""
    for other in others:
        piece = other.strip().strip("{}[]()")
        for part in parts(piece):
            word = part.strip()
            if re.fullmatch(NAME, word):
                names.append(plain(word))
            elif word.isdigit() and len(word) < 3 and what == "diff":
                order = int(word)
            elif re.fullmatch(r"[^\W\d]\w*\s*=[^=]+", word):
                at = f"{at},{word}".strip(",")
            elif what == "taylor" and not at and names and re.fullmatch(r"[-+]?[\w./*]+", word):
                at = f"{names[0]}={word}"
            elif what == "taylor" and word.isdigit() and len(word) < 3:
                order = int(word)
    if what == "diff" and len(set(names)) == 1 and len(names) > 1:
        names, order = names[:1], len(names)
    return Inquiry(what, start, end, operand, tuple(names), order, rest, at=at)


# --- answers ----------------------------------------------------------------------------------------------------------


def _span(source: Source, asked: Inquiry | OtherSum) -> Span:
    return Span(asked.start, max(asked.end, asked.start + 1), source)


def _sign(source: Source, asked: Inquiry) -> str:
    return source.text[asked.start : asked.end]


def _integral(source: Source, asked: Inquiry) -> AdcliError:
    advice = "that is for computer algebra, such as sympy.integrate"
    if _sign(source, asked) == "int" and source.text[asked.end :].lstrip()[:1] == "(":
        advice += f"; the whole part of a number is {'trunc' if lookup('trunc') else 'floor'}(x)"
    title = f"{_sign(source, asked)} asks for an integral"
    return SyntaxProblem(title, _span(source, asked), "adcli differentiates, it does not integrate", help=advice)


def _near_by(asked: Inquiry, known: Collection[str], read: Reader) -> str:
    """The command for a value near by the place of a limit."""
    advice = "write the expression alone, and a point near by"
    if len(asked.wrt) != 2:
        return advice
    name, where = asked.wrt
    number = re.fullmatch(r"[-+]?[0-9]++(?:\.[0-9]*+)?", where)
    if re.search(r"inf|∞|oo", where):
        point = "-1e6" if where[0] == "-" else "1e6"
    elif number is not None:
        point = repr(float(where) + 1e-6) if float(where) else "1e-6"
    else:
        return advice
    try:
        inputs = read(Source(asked.operand), {name, *known})
    except (SyntaxProblem, NameProblem, ArityProblem, RequestError):
        return advice
    return (
        f"a value near by: adcli eval {quoted(asked.operand)} --at {name}={point}" if set(inputs) == {name} else advice
    )


def _written_otherwise(source: Source, found: OtherSum, known: Collection[str], read: Reader) -> AdcliError:
    """A sum in another notation, and how the language writes it."""
    name = "a sum" if found.word == "sum" else "a product"
    meant = found.text or f"{found.word}(i, 1, 10, i*x)"
    notes: tuple[str, ...] = ()
    if found.text:
        try:
            read(Source(found.text), known)
        except (SyntaxProblem, NameProblem, ArityProblem, RequestError) as problem:
            notes = (f"{problem.title}{', ' * bool(problem.label)}{problem.label}",)
    title, label = f"{name} is a function here", "an index, its first and last value, and a term"
    return SyntaxProblem(title, _span(source, found), label, notes, f"write {meant}")


_EXAMPLES = {
    "diff": 'diff "x^2" --wrt x',
    "taylor": 'taylor "sin(x)" --at x=0',
    "plot": 'plot "x^2"',
    "hessian": 'eval "x^2*y" --at x=1,y=2 --hessian',
}


class _Referral:
    """The error that says which command does what is asked for."""

    def __init__(self, source: Source, asked: Inquiry, known: Collection[str], read: Reader) -> None:
        self.source, self.asked, self.known, self.read = source, asked, known, read
        self.notes: list[str] = []
        point = source.shown.partition("@")[2] if "@" in source.shown else asked.at
        self.at = f" --at {quoted(''.join(point.split()), always=False)}" if point.strip() else ""

    def error(self) -> AdcliError:
        asked = self.asked
        advice = self._advice(asked.operand)
        if asked.rest:
            self.notes.append("what a command prints can be written in its place")
        elif asked.term and (first := self._line(asked.term)):
            self.notes.append(f"of the first term alone: {first}")
        sign, place = _sign(self.source, asked), _span(self.source, asked)
        if asked.what in ("derivative", "diff", "gradient"):
            title = f"{sign} asks for a derivative"
            return OtherCommand(title, place, "derivatives are a command", tuple(self.notes), advice)
        title = f"{sign} is no function of the language"
        return OtherCommand(title, place, "this is a command", tuple(self.notes), advice)

    def _advice(self, operand: str) -> str:
        """The command that answers; an example of it where the expression cannot be read."""
        if operand:
            try:
                line = self._line(operand)
            except (SyntaxProblem, NameProblem, ArityProblem, RequestError) as problem:
                advice = f": {problem.help}" if problem.help else ""
                self.notes.append(f"{problem.title}{advice}")
            else:
                if self._is_new(plain(operand)):
                    return self._example()
                return line or f"{', '.join(self.asked.wrt)} does not occur in {operand[:60]}, the derivative is 0"
        return self._example()

    def _example(self) -> str:
        return f"for example adcli {_EXAMPLES.get(self.asked.what, _EXAMPLES['diff'])}"

    def _is_new(self, name: str) -> bool:
        """Whether a name alone stands for a function that nothing defines, as in `df/dx`."""
        return name.isidentifier() and name not in {*self.asked.wrt, *self.known, *assigned(self.source.text)}

    def _line(self, operand: str) -> str:
        """The command as a shell takes it; nothing where the operand lacks what it is differentiated by.

        Raises what is wrong with the operand.
        """
        asked = self.asked
        program = "; ".join([*self._definitions(), operand])
        inputs = self.read(Source(program), {*self.known, *asked.wrt})
        if asked.what == "taylor":
            name = (asked.wrt or tuple(inputs) or ("x",))[0]
            order = f" --order {asked.order}" if asked.order > 1 else ""
            return f"adcli taylor {quoted(program)}{self.at or f' --at {name}=0'}{order}"
        if asked.what in ("plot", "hessian"):
            return f"adcli {'plot' if asked.what == 'plot' else 'eval'} {quoted(program)}{self.at}" + (
                " --hessian" if asked.what == "hessian" else ""
            )
        if not set(asked.wrt) <= set(inputs):
            return ""
        wrt = asked.wrt or (tuple(inputs) if len(inputs) == 1 else ())
        by = f" --wrt {','.join(wrt)}" if wrt else ""
        order = f" --order {asked.order}" if asked.order > 1 else ""
        return f"adcli diff {quoted(program)}{by}{order}{self.at}"

    def _definitions(self) -> list[str]:
        """The definitions in front of what is asked for."""
        first, _ = statement(self.source.text, self.asked.start)
        earlier = (part.strip() for part in re.split(r"(?<!\\);|\n", self.source.text[:first]))
        return [part for part in earlier if re.match(rf"{NAME}'*+\s*+(?:\([\w, ]*+\)\s*+)?:?=(?!=)", part)]
