"""The recorder of a program's instructions: the actions of the grammar, which write them in postfix order as its code.
There is no syntax tree: a reduction appends one instruction, and the value of a symbol on the parser's stack is only
the piece of text that it covers (start, end, detail, shape); the shape decides about notes on what follows. A token is
(start, end, text, kind); the head of a call is (token of the function, exponent on its name or None, is that a name).
"""

from __future__ import annotations

from math import gcd

from ..errors import USED_TOO_EARLY, ArityProblem, NameProblem, Source, Span, SyntaxProblem
from ..graph.graph import CONSTANTS
from ..records import NamedTuple
from ..table.functions import ROWS, lookup
from ..table.primitive import Primitive, operators_by_sign
from ..typings import Any
from .name_parts import AGGREGATES, is_greek, logarithm_base
from .spelling import Reading

# One step of a program in postfix order: where it was written (start, end), on what it works, and the action.  Numbers
# and names are the tokens that they were.  On what it works is Any, for the action says what it is.
Instruction = tuple[int, int, Any, str]
Code = list[Instruction]


class Definition(NamedTuple):
    """A function defined by the user: its parameters, its body, and the place of its header."""

    name: str
    parameters: list[str]
    code: Code
    start: int
    end: int


class Repetition(NamedTuple):
    """The body of a sum or product over an index."""

    row: str
    variable: str
    code: Code


# The values on the parser's stack: a token, and for a symbol its piece (start, end, detail, shape), mostly its last
# instruction. The shape, such as "quotient", decides about notes on what follows.
Lexeme = tuple[int, int, str, str]
Covered = Instruction
# A function, the power that its result is raised to, and whether that power is a name.
Head = tuple[Lexeme, str | None, bool]


_OPERATORS = operators_by_sign()
_QUOTED = 100  # characters of a long piece that are quoted at each end
_PRODUCT, _QUOTIENT, _POWER = (_OPERATORS[sign] for sign in "*/^")
# Shapes of a function without brackets, to which what follows might belong; then those that a product with a sign ends
# in as well, and those of a product without one.
_FUNCTIONS_WITHOUT_BRACKETS = frozenset({"numeric application", "product application", "plain application"})
_OPEN_FACTORS = _FUNCTIONS_WITHOUT_BRACKETS | {"numeric power"}
_HANGING = _OPEN_FACTORS | {"root"}
# The signs that end the argument of a function without brackets, of which a note says so, by its shape.
_ENDS_ARGUMENT = {"numeric application": ("STAR", "SLASH"), "product application": ("SLASH",)}
_BRACKETS = frozenset("([{\\|")
_LIKELY = 5  # the largest denominator of an exponent that people write without brackets
_LONGEST_DECIMAL = 100  # characters in brackets that may be a decimal with a comma; nested calls are not read again
_RAISED_WHOLE = frozenset({"root", "braced"})
_OTHER_SIGNS = {
    "\\cdot": "*", "\\times": "*", "≤": "<=", "≥": ">=", "≠": "!=",
    "\\le": "<=", "\\leq": "<=", "\\ge": ">=", "\\geq": ">=", "\\ne": "!=", "\\neq": "!=",
}  # fmt: skip
_ROOTS = {"√": "sqrt", "∛": "cbrt", "∜": "root"}
_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")


def _derivative_statement_error(definition: Definition, value: str, span: Span) -> SyntaxProblem:
    """Return the error for a program that is only `f'(x) = value`, placed at `span`.

    `value` is the text of the right side, with its `=`. The help suggests to differentiate f, with --order if the name
    has several primes; a note suggests to differentiate `value` once more with respect to the first parameter.
    """
    name, primes = definition.name.rstrip("'"), definition.name.count("'")
    title = f"{definition.name}({', '.join(definition.parameters)}) = … states a derivative"
    again = f'to differentiate this again: adcli diff "{value.lstrip(" =:")}" --wrt {definition.parameters[0]}'
    advice = f'differentiate the function itself: adcli diff "{name}({", ".join(definition.parameters)}) = …"'
    advice += f" --order {primes}" if primes > 1 else ""
    return SyntaxProblem(title, span, f"{name} itself is not defined", (again,), advice)


def _find_operator(sign: Lexeme) -> Primitive:
    return _OPERATORS[_OTHER_SIGNS.get(sign[2], sign[2])]


class Recorder:
    """The actions of the grammar, one method for each; afterwards `main` and `definitions` hold the program, `readings`
    notes on how it was read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.code: Code = []
        self.main = self.code
        self.definitions: dict[str, Definition] = {}
        self.readings: list[Reading] = []
        self.parameters: list[str] = []  # of a program that is one definition: its inputs

    # Every action takes the symbols of its production, left to right.

    def _emit(self, action: str, argument: object, start: int, end: int) -> Covered:
        step = start, end, argument, action
        self.code.append(step)
        return step

    def _quote_piece(self, piece: Covered) -> str:
        return self._quote(piece[0], piece[1])

    def _quote(self, start: int, end: int) -> str:
        """Return the text from `start` to `end`; of more than 200 characters the first and the last 100 with …
        between."""
        if end - start <= 2 * _QUOTED:
            return self.source.text[start:end]
        return f"{self.source.text[start : start + _QUOTED]}…{self.source.text[end - _QUOTED : end]}"

    def _span(self, piece: Covered) -> Span:
        return Span(piece[0], piece[1], self.source)

    def _note(self, start: int, end: int, text: str, topic: str) -> None:
        self.readings.append(Reading(text, (start, end), topic=topic))

    def program(self, statements: None) -> Recorder:
        """Return this recorder, the value of a whole program.

        Its statements are recorded already (`statements` is None). If the only one is a definition, `main` becomes its
        body followed by an assignment to the function's name, and `parameters` become inputs. Raises SyntaxProblem if
        that name ends in a prime.
        """
        if len(self.main) == 1 and self.main[0][3] == "defined":
            start, end, name, _ = self.main[0]
            definition = self.definitions[name]
            if name.endswith("'"):
                value = self._quote(definition.end, end)
                raise _derivative_statement_error(definition, value, self._span(self.main[0]))
            self.main[:] = [*definition.code, (start, end, name, "assign")]
            self.parameters = definition.parameters
        return self

    def first_statement(self, *parts: Covered | None) -> None:
        return None

    next_statement = empty_statement = first_statement

    def output(self, value: Covered) -> None:
        self._emit("output", None, value[0], value[1])

    def assign(self, target: Lexeme, sign: Lexeme, value: Covered) -> None:
        self._emit("assign", target[2], target[0], value[1])

    def header(self, head: Lexeme, opening: Lexeme, names: list[Lexeme], closing: Lexeme, sign: Lexeme) -> Covered:
        """Start the definition `f(a, b) =` and return its piece, which holds the name; instructions go to its body
        until `define`.

        `head` is the token of the function's name, `names` are those of its parameters, the others its signs. Raises
        NameProblem if the name is already a function (the user's, the table's, sum or prod), or two parameters are the
        same.
        """
        start, _, name, _ = head
        if name in self.definitions or lookup(name) is not None or name in AGGREGATES:
            raise NameProblem(
                f"there is already a function called {name}", self._span(head), help="choose another name"
            )
        parameters = [text for _, _, text, _ in names]
        if len(set(parameters)) < len(parameters):
            raise NameProblem(f"the function {name} has two parameters with the same name", self._span(head))
        self.code = []
        self.definitions[name] = Definition(name, parameters, self.code, start, closing[1])
        return start, sign[1], name, ""

    def define(self, header: Covered, body: Covered) -> None:
        """End a definition: instructions go to the main program again."""
        self.code = self.main
        definition = self.definitions[header[2]]
        self._emit("defined", definition.name, definition.start, body[1])

    def first_item(self, item: Lexeme) -> list[Lexeme]:
        return [item]

    def next_item(self, items: list[Lexeme], comma: Lexeme, item: Lexeme) -> list[Lexeme]:
        items.append(item)
        return items

    def first_argument(self, argument: Covered) -> list[int]:
        """Return where in the code each argument ends, as a list with one entry."""
        return [len(self.code)]

    def next_argument(self, ends: list[int], comma: Lexeme, argument: Covered) -> list[int]:
        ends.append(len(self.code))
        return ends

    def connect(self, left: Covered, word: Lexeme, right: Covered) -> Covered:
        return self._emit("apply", (word[3].lower(), 2), left[0], right[1])

    def negate(self, word: Lexeme, value: Covered) -> Covered:
        return self._emit("apply", (word[3].lower(), 1), word[0], value[1])

    def compare(self, left: Covered, sign: Lexeme, right: Covered) -> Covered:
        return self._emit("compare", _find_operator(sign), left[0], right[1])

    def binary(self, left: Covered, sign: Lexeme, right: Covered) -> Covered:
        """Append +, -, *, / or % of two operands, whose code is already appended; return its piece (start, end, detail,
        shape).

        The shape decides about later notes: `quotient` (detail None) after /; after * that of the right operand, with
        its detail, if this is a function without brackets or a numeric power; `operate` (the row) in all other cases.
        Adds a note on the order if a function or an exponent without brackets may have been meant to take more:

        - the left side is a "numeric application" (`sin 2*x`, `sin 2/x`) or, before /, a "product application"
        - without blanks around the sign, a "plain application" before /, or before +, - or % and a number or name (`sin
          x/2`, `sqrt x+1`)
        - without blanks around /, an exponent by `_is_fraction`: 1 over a digit, a reduced fraction such as 3/2 with a
          lower part up to 5, or one that is not a number and begins with a minus sign (`x^1/2`, `e^-x/2`)
        """
        start, end, kind = left[0], right[1], sign[3]
        step = start, end, _find_operator(sign), "operate"
        self.code.append(step)
        if kind in _ENDS_ARGUMENT.get(left[3], ()):
            text = self._quote_piece(left)
            self._note(start, end, f"{text}{sign[2]}… is read as ({text}){sign[2]}…", "order")
        is_tight, is_slash = left[1] == sign[0] and sign[1] == right[0], kind == "SLASH"
        is_short = is_slash or (kind != "STAR" and right[3] in ("NUMBER", "NAME"))
        is_unclear = left[3] == "plain application" and is_short  # sin x/2, sqrt x+1
        if is_tight and (is_unclear or (is_slash and self._is_fraction(left, right))):  # x^1/2
            self._note_order(start, end, f"({self._quote_piece(left)}){sign[2]}{self._quote_piece(right)}")
        if kind == "STAR":
            return (start, end, right[2], right[3]) if right[3] in _OPEN_FACTORS else step
        return (start, end, None, "quotient") if is_slash else step

    def _note_order(self, start: int, end: int, reading: str) -> None:
        """Note that the text from `start` to `end` is read as `reading`, which has its brackets."""
        self._note(start, end, f"{self._quote(start, end)} is read as {reading}", "order")

    def _is_fraction(self, power: Covered, below: Covered) -> bool:
        """Return whether in `power`/`below` the exponent may be meant as a fraction with `below`, as in `x^1/2`.

        False for powers with brackets around the exponent, and for shapes other than "raised" and "numeric power". An
        exponent that is not a number: whether it starts with a minus sign (`e^-x^2/2`). For a number, without its sign,
        `below` must be one digit; True if the number is 1, or is from 2 to 9, larger than `below`, which is at most 5,
        and has no factor in common with it (`x^3/2`).
        """
        if power[3] not in ("raised", "numeric power"):
            return False
        exponent = self.source.text[power[2] : power[1]]
        digits = exponent.lstrip("+-− ")
        if not (digits.isascii() and digits.isdecimal()):
            return exponent.startswith(("-", "−"))  # e^-x^2/2
        divisor = self._quote_piece(below)
        if len(digits) > 2 or len(divisor) > 1 or not divisor.isdecimal():
            return False
        above = int(digits)
        parts = int(divisor)
        return above == 1 or (parts < above < 10 and parts <= _LIKELY and gcd(above, parts) == 1)

    def juxtaposed(self, left: Covered, right: Covered) -> Covered:
        """Append a product without a sign, as in `2 x`, and return its piece (start, end, detail, shape).

        Adds a note on the order if the left side is a quotient, numeric power or nested call, or a root that the right
        side follows without a blank. The shape, the first that applies:

        - that of the right side (with its detail), if this is a function or root without brackets or a numeric power
        - "separate", for a name that is not a constant, or such a product, and a name after a blank
        - "operate"
        """
        start, end = left[0], right[1]
        if left[3] in ("quotient", "numeric power", "nested"):
            self._note_order(start, end, f"({self._quote_piece(left)})*{self._quote_piece(right)}")
        elif left[3] == "root" and left[1] == right[0]:
            self._note_order(start, end, f"{self._quote_piece(left)}*{self._quote_piece(right)}")
        step = self._emit("operate", _PRODUCT, start, end)
        if right[3] in _HANGING:
            return start, end, right[2], right[3]
        is_separate = left[3] in ("NAME", "separate") and left[1] < right[0] and left[2] not in CONSTANTS
        return (start, end, _PRODUCT, "separate") if is_separate and right[3] == "NAME" else step

    def minus(self, sign: Lexeme, value: Covered) -> Covered:
        """Append a negation and return its piece, with the value's shape (and no detail) if that is a number or a
        function without brackets, else with "operate".
        """
        step = self._emit("operate", ROWS["neg"], sign[0], value[1])
        if value[3] == "NUMBER" or value[3] in _FUNCTIONS_WITHOUT_BRACKETS:
            return sign[0], value[1], None, value[3]
        return step

    def plus(self, sign: Lexeme, value: Covered) -> Covered:
        """Return the piece of the value with its plus sign; nothing is appended."""
        return sign[0], value[1], value[2], value[3]

    def power(self, base: Covered, sign: Lexeme, exponent: Covered) -> Covered:
        """Append a power and return its piece. Notes the order if the base is a root or a call in braces. The shape:

        - "numeric power", for a number or constant to a number
        - "raised", for an exponent without brackets that is not itself a numeric power
        - "operate", for all others

        With the first two the detail is the index where the exponent starts.
        """
        step = self._emit("operate", _POWER, base[0], exponent[1])
        shape = base[3]
        if self.source.text[exponent[0]] not in _BRACKETS and exponent[3] != "numeric power":
            step = base[0], exponent[1], exponent[0], "raised"
        if shape == "NUMBER" or (shape == "NAME" and base[2] in CONSTANTS):
            if exponent[3] == "NUMBER":
                return base[0], exponent[1], exponent[0], "numeric power"
        elif shape in _RAISED_WHOLE:
            self._note_power_of_root(base, exponent[1])
        return step

    def _note_power_of_root(self, base: Covered, end: int) -> None:
        """Note that a root or braced call is evaluated before the power."""
        self._note_order(base[0], end, f"({self._quote_piece(base)}){self._quote(base[1], end)}")

    def superscript(self, base: Covered, raised: Lexeme) -> Covered:
        """Append the power of `base` by raised digits, as in `x²`, with a note if the base is a root or braced call."""
        start, end, text, _ = raised
        if base[3] in _RAISED_WHOLE:
            self._note_power_of_root(base, end)
        self._emit("NUMBER", text.translate(_SUPERSCRIPTS), start, end)
        return self._emit("operate", _POWER, base[0], end)

    def factorial(self, value: Covered, sign: Lexeme) -> Covered:
        """Append a factorial and return its piece, with the shape "factorial".

        Raises SyntaxProblem if `value` is itself a factorial without brackets (`5!!`).
        """
        if value[3] == "factorial":
            title = "a double factorial is not defined here"
            advice = "for the factorial of a factorial write brackets: (5!)!"
            raise SyntaxProblem(title, Span(value[1] - 1, sign[1], self.source), "two factorial signs", help=advice)
        self._emit("operate", ROWS["factorial"], value[0], sign[1])
        return value[0], sign[1], None, "factorial"

    def degrees(self, value: Covered, sign: Lexeme) -> Covered:
        """Append the factor pi/180 to `value`, an angle in degrees whose code is already appended; return the product's
        piece.

        A note of topic "degrees" says how the angle is read.
        """
        start, end = value[0], sign[1]
        self._emit("CONSTANT", "pi", start, end)
        self._emit("NUMBER", "180", start, end)
        self._emit("operate", _QUOTIENT, start, end)
        angle = self._quote_piece(value)
        self._note(start, end, f"{angle}° is read as an angle in degrees, {angle}*pi/180", "degrees")
        return self._emit("operate", _PRODUCT, start, end)

    def number(self, token: Lexeme) -> Covered:
        self.code.append(token)
        return token

    name = number

    def bars(self, opening: Lexeme, value: Covered, closing: Lexeme) -> Covered:
        return self._emit("operate", ROWS["abs"], opening[0], closing[1])

    def group(self, opening: Lexeme, value: Covered, closing: Lexeme) -> Covered:
        """Return the piece of the value with its brackets, without its shape unless that is NUMBER; nothing is
        appended.
        """
        return opening[0], closing[1], None, "NUMBER" if value[3] == "NUMBER" else ""

    def root(self, sign: Lexeme, value: Covered) -> Covered:
        """Append a root sign (√ sqrt, ∛ cbrt, ∜ the row root with second argument 4) applied to `value` and return its
        piece.

        The shape is "root", so that later notes can mention the order; but it is `operate` if the value ends in a
        bracket or bar (`√f(x)` too) or if the sign is a LaTeX command.
        """
        if sign[2] == "∜":
            self._emit("NUMBER", "4", sign[0], sign[1])
        step = self._emit("operate", ROWS[_ROOTS[sign[2]]], sign[0], value[1])
        bracketed = self.source.text[value[1] - 1] in ")]}|" or self.source.text[sign[0]] == "\\"
        return step if bracketed else (sign[0], value[1], None, "root")

    def fraction(self, sign: Lexeme, *parts: Covered) -> Covered:
        return self._emit("operate", _QUOTIENT, sign[0], parts[-1][1])

    def index_opener(self, sign: Lexeme, opening: Lexeme) -> tuple[int, int]:
        """Return (start of the root sign, index in the code where the root's degree begins)."""
        return sign[0], len(self.code)

    def index(self, opener: tuple[int, int], degree: Covered, closing: Lexeme) -> tuple[int, Code]:
        """Remove the degree of a root from the end of the code; return (start of the root sign in the text, code of the
        degree).

        The degree is written first, but is the second argument: `indexed_root` appends it again. `opener` is (start of
        the sign, index in the code where the degree begins); the other arguments are not used.
        """
        start, begin = opener
        code = self.code[begin:]
        del self.code[begin:]
        return start, code

    def indexed_root(self, index: tuple[int, Code], *parts: Covered) -> Covered:
        """Append the degree, (start of the root sign, its code) from `index`, and the root; return the piece."""
        start, code = index
        self.code.extend(code)
        return self._emit("operate", ROWS["root"], start, parts[-1][1])

    def opener(self, head: Head, opening: Lexeme) -> tuple[Head, int]:
        """Return (head of the call, index in the code where its arguments begin)."""
        return head, len(self.code)

    def head(self, token: Lexeme) -> Head:
        return token, None, False

    def raised_head(self, token: Lexeme, *parts: Lexeme) -> Head:
        """Return a function with the exponent on its name, as in `sin^2`, `sin^-1` or `cos^{3/2}`."""
        exponent = "".join(text for _, _, text, kind in parts if kind in ("NUMBER", "MINUS", "NAME", "SUPER", "SLASH"))
        return token, exponent.translate(_SUPERSCRIPTS), any(kind == "NAME" for _, _, _, kind in parts)

    def empty_call(self, opener: tuple[Head, int], closing: Lexeme) -> Covered:
        return self.call(opener, [], closing)

    def call(self, opener: tuple[Head, int], arguments: list[int], closing: Lexeme) -> Covered:
        """Append a call with brackets and return its piece: of a function, or of sum or prod unless the user defined
        these.

        `opener` is (function head, index in the code where the arguments begin), `arguments` has the index behind each
        argument. The shape is "braced" if braces enclose the argument and the function is not a root. Raises
        NameProblem if the function is used before its definition or has no inverse. Raises ArityProblem for a sum or
        product without its four arguments.
        """
        head, begin = opener
        name, end = head[0][2], closing[1]
        if name in AGGREGATES and name not in self.definitions:
            return self._repeat(head[0], begin, arguments, end)
        piece = self._apply(head, len(arguments), end)
        if closing[2] == "}" and name not in _ROOTS.values():
            return piece[0], end, None, "braced"
        return piece

    def application(self, head: Head, argument: Covered) -> Covered:
        """Append a function without brackets, `sin x`, and return its piece; the code of the argument is already
        appended.

        `head` is (the token of the function, the exponent on its name or None, whether this is a name). The shape
        describes the argument: "numeric application" for a number; "plain application" for a name with a blank or
        backslash before it, if the function has no exponent; "product application" for a product; that of the call for
        all others. The order is noted for names with blanks between them ("separate"; unless the first is a Greek
        letter), and for a product that ends in a closing bracket, as in `sin 2(x)`. Raises ArityProblem for sum and
        prod, NameProblem if the function is used before its definition or has no inverse.
        """
        end, shape = argument[1], argument[3]
        name = head[0][2]
        if name in AGGREGATES and name not in self.definitions:
            raise self._aggregate_usage_error(head[0], end)
        piece = self._apply(head, 1, end)
        if shape == "NUMBER":
            return piece[0], piece[1], None, "numeric application"
        written = self._quote_piece(argument).lstrip("\\")
        is_apart = head[0][1] < argument[0] or self.source.text[argument[0]] == "\\"
        if shape == "NAME" and head[1] is None and written.isalnum() and is_apart:
            return piece[0], piece[1], None, "plain application"
        takes_bracket = argument[2] is _PRODUCT and written[-1:] in ")]" and written[:1] not in "([{|"
        if takes_bracket or (shape == "separate" and not is_greek(self._quote_piece(argument).lstrip("\\").split()[0])):
            self._note_order(piece[0], piece[1], f"{name}({self._quote_piece(argument)})")
        return (piece[0], piece[1], None, "product application") if argument[2] is _PRODUCT else piece

    def nested(self, head: Head, argument: Covered) -> Covered:
        """Append a function in front of a call without brackets, as in `ln sin(x)`, and return its piece with the shape
        "nested".

        `head` is that of the outer function, `argument` the piece of the inner call. Notes the order if that is
        "raised", with an exponent without brackets (`ln sin(x)^2`). Raises ArityProblem for sum and prod, NameProblem
        if the function is used before its definition or has no inverse.
        """
        piece = self.application(head, argument)
        if argument[3] == "raised":
            self._note_order(piece[0], piece[1], f"{self._quote_piece(head[0])}({self._quote_piece(argument)})")
        return piece[0], piece[1], None, "nested"

    def _apply(self, head: Head, count: int, end: int) -> Covered:
        """Append the function of `head` with `count` arguments, and the exponent on its name; return the piece, up to
        `end`.

        The exponent -1 means the inverse of a function of the table; of a user's function it is the reciprocal, with a
        note. Other exponents (`sin^2`, `cos^{3/2}`) raise the result. Raises NameProblem if a function is used before
        its definition, or has no inverse.
        """
        token, exponent, named = head
        start, name_end, name, _ = token
        if name in self.definitions:
            step = self._emit("call", (name, count), start, end)
            if exponent == "-1":
                text = f"{name}^-1 is read as the reciprocal 1/{name}(…), not as the inverse function"
                self._note(start, end, text, "inverse")
        else:
            step = self._apply_row(token, exponent == "-1", count, end)
            exponent = None if exponent == "-1" else exponent
        if exponent is None:
            return step
        above, slash, below = exponent.partition("/")
        self._emit("NAME" if named else "NUMBER", above, name_end, name_end)
        if slash:
            self._emit("NUMBER", below, name_end, name_end)
            self._emit("operate", _QUOTIENT, name_end, name_end)
        return self._emit("operate", _POWER, start, end)

    def _apply_row(self, token: Lexeme, inverted: bool, count: int, end: int) -> Covered:
        """Append the function of the table that `token` names with `count` arguments, and return its piece, up to
        `end`.

        With `inverted` it is the inverse function. `log_2` is logb with the base appended as the last argument. A row
        whose meaning differs between programs gets its note. The instruction is "operate" if row and count fit without
        a check, "apply" with (name, count) if not. Raises NameProblem if no row has the name (only a definition further
        down), or if there is no inverse.
        """
        start, name_end, written, _ = token
        row = lookup(written)
        base = logarithm_base(written) if row is None else None
        if base is not None:
            self._emit("NUMBER" if base.isdecimal() else "NAME", base, start, name_end)
            row, count = ROWS["logb"], count + 1
        elif row is None:
            raise NameProblem(
                f"the function {written} {USED_TOO_EARLY}", self._span(token), help="put the definition first"
            )
        row = self._find_inverse(row, token, end) if inverted else row
        if row.reading and written == row.name and count not in row.forms:
            self._note(start, name_end, row.reading, row.name)
        self._note_decimal(row, token, count, end)
        if count == row.arity and not (row.forms or row.truth or row.truth_arguments or row.has_order):
            return self._emit("operate", row, start, end)
        return self._emit("apply", (row.name, count), start, end)

    def _note_decimal(self, row: Primitive, token: Lexeme, count: int, end: int) -> None:
        """Add a note if both arguments of the call from `token` to `end` are digits only, as in log(1,5).

        They may be one number with a decimal comma. Nothing is added if `count`, the number of arguments, is not 2, if
        `row` has no forms for other numbers of arguments, or if the brackets have more than 100 characters.
        """
        start, name_end, written, _ = token
        if count != 2 or not row.forms or end - name_end > _LONGEST_DECIMAL:
            return
        first, _, second = self.source.text[name_end:end].strip("()").partition(",")
        if first.isdecimal() and second.isdecimal():
            text = f"{self._quote(start, end)} has two arguments; for the decimal write {written}({first}.{second})"
            self._note(start, end, text, "notation")

    def _find_inverse(self, row: Primitive, token: Lexeme, end: int) -> Primitive:
        """Return the row of the inverse of `row`, and append a note of topic "inverse" on the text from `token` to
        `end`.

        Raises NameProblem if `row` has no inverse.
        """
        inverse = lookup(row.inverse or "")
        if inverse is None:
            title = f"the function {row.name} has no inverse in adcli"
            raise NameProblem(title, Span(token[0], end, self.source), help=f"for the reciprocal write 1/{row.name}(…)")
        self._note(token[0], end, f"{row.name}^-1 is read as the inverse function {row.inverse}", "inverse")
        return inverse

    def _aggregate_usage_error(self, token: Lexeme, end: int) -> ArityProblem:
        """Return (do not raise) the ArityProblem for a sum or product without the four arguments that it needs.

        `token` is its name, sum or prod, with which the place begins; `end` is where it ends in the text.
        """
        start, _, name, _ = token
        title = f"{name} needs four arguments: the index, its first value, its last value, and the term"
        return ArityProblem(title, Span(start, end, self.source), help=f"write {name}(i, 1, 10, i*x)")

    def _repeat(self, token: Lexeme, begin: int, arguments: list[int], end: int) -> Covered:
        """Append the instruction `repeat` of a sum or product (index, from, to, term), and return its piece.

        Index and term are taken out of the code into its Repetition, of row add or mul; the code of the bounds stays.
        `token` is sum or prod; the first argument begins at `begin` of the code, `arguments` are the ends of all in the
        code; `end` is its end in the text. Raises ArityProblem unless there are four, the first a single name, which
        may be that of a constant such as e.
        """
        start, _, name, _ = token
        index_end = arguments[0] if arguments else begin
        variable, action = self.code[begin][2:] if index_end == begin + 1 else ("", "")
        if len(arguments) != 4 or action != "NAME":
            raise self._aggregate_usage_error(token, end)
        body_start = arguments[2]
        body = self.code[body_start:]
        del self.code[body_start:]
        del self.code[begin]
        return self._emit("repeat", Repetition("add" if name == "sum" else "mul", variable, body), start, end)
