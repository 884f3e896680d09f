"""Parser of programs with arrays: the tokens, grammar and recorder of the language, with a few signs of arrays."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ..errors import Source, Span, SyntaxProblem
from ..graph.graph import CONSTANTS
from ..language.machine import without_underscore
from ..language.parser import Recorder, Unparsed, parse
from ..language.recorder import Covered, Definition, Instruction, Lexeme
from ..language.scanner import arguments_at, mark_functions, names_with_values, reject_number_slips
from ..language.spelling import Reading
from ..language.tokens import Foreign, Tokens, match_brackets, plain_name, spelling, tokens_of
from ..patterns import pattern
from ..records import NamedTuple
from ..table.primitive import ROWS
from ..typings import Final, override
from .array_rows import FUNCTION_NAMES, RELATIONS, is_function
from .shapes import Shape

_OPERATIONS: Final = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "^"} | {
    name: sign for sign, name in RELATIONS.items()
}
PRODUCTS: Final = ("", "@", "·")  # signs of products of matrices
_NORMS: Final = {"1": "norm1", "₁": "norm1"}  # by the subscript of the closing bars
_MARK: Final = r"(?:T|⊤|\\(?:top|intercal|mathsf\{T\}|mathrm\{T\}|text\{T\}))"  # of a transpose, in braces
_END: Final = r"(?![a-zA-Z])"
# Signs of arrays as tokens of the grammar: by kind and text (None: as it is written), the forms in which people type
# them.  Words are matched too, so that no sign begins inside one.
_SIGNS: Final = {
    ("word", None): r"[^\W\dᵀ](?:(?!ᵀ)\w)*|[0-9]+(?:\.(?![*/^])[0-9]*)?(?:[eE][+-]?[0-9]+)?",
    (
        "BANG",
        "transpose",
    ): rf"\^\s*(?:\{{\s*{_MARK}\s*\}}|T(?!\w)|⊤|\\(?:top|intercal){_END})|[ᵀ⊤]|(?<=[\w)\]}}'’′])['’′]",
    ("BANG", "inverse"): rf"\^\s*(?:\{{\s*-\s*{_MARK}\s*\}}|\(\s*-\s*T\s*\)|-\s*(?:T(?!\w)|⊤|\\top{_END}))|⁻[ᵀ⊤]",
    ("BANG", None): r"\[\s*[0-9]+\s*(?:,\s*[0-9]+\s*)?\]",
    ("ENTRYWISE", ".*"): rf"\.\*(?!\*)|[⊙∘]|\\(?:odot|circ){_END}",
    ("ENTRYWISE", "./"): rf"\./|⊘|\\oslash{_END}",
    ("ENTRYWISE", "⊗"): rf"⊗|\\otimes{_END}",
    ("CARET", ".^"): r"\.\^|\.\*\*",
    ("STAR", "@"): r"@",
    ("STAR", "·"): rf"[·⋅]|\\cdot{_END}",
    ("BAR_OPEN", None): rf"(?:\\left\s*|\\right\s*)?(?:\\[lr]?Vert{_END}|\\\||‖|\|\|)(?:_\{{?[12F]\}}?|[₁₂])?",
    ("NAME", "det"): rf"\\det{_END}",
}
_SIGN: Final = pattern("|".join(f"({form})" for form in _SIGNS.values()))
_KINDS: Final = list(_SIGNS)


class ParsedStep(NamedTuple):
    """One instruction of a program of arrays.

    operation   number, name, list, index, group, assign, output, transpose, a sign ("" for a product written side by
                side) or the name of a function
    arguments   the places of earlier steps
    text        a number, a name, or, for a list, the lengths of its rows
    start, end  its place in the source, end excluded
    """

    operation: str
    arguments: tuple[int, ...]
    text: str
    start: int
    end: int


def array_name(text: str) -> str:
    r"""Return a name as the language spells it: `\mathbf{W}_{1}` is W_1, `\theta` is theta."""
    return plain_name(spelling(text).text.strip())


def parse_arrays(
    source: Source, shapes: Mapping[str, Shape], letters: Collection[str] = ()
) -> tuple[list[ParsedStep], list[Reading]]:
    r"""Return (the instructions of the program in `source` in execution order, notes on how it was read).

    Each statement ends in a step `assign` or `output`; a text without tokens gives no steps. `shapes` are those of
    names with a value, `letters` are other names that are not functions. A name of a function is a variable if it is in
    one of these or assigned in the program. Raises SyntaxProblem or NameProblem with its place for text that is not an
    expression, such as unbalanced brackets, and for a single `\` with blanks around it.
    """
    if " \\ " in source.text and source.text.count("\\") == 1:
        place = source.text.index("\\")
        advice = "write solve(A, b) for the solution x of A x = b"
        raise SyntaxProblem("\\ is not an operator", Span(place, place + 1, source), help=advice)
    tokens = tokens_of(source, list(_array_tokens(source.text, shapes)), shapes)
    if not tokens.kinds:
        return [], [*tokens.spelled.readings]
    match_brackets(tokens, source)
    known = {*shapes, *letters, *names_with_values(tokens), *tokens.spelled.variables}
    mark_functions(tokens, [name for name in tokens.names if name not in known and is_function(name)])
    _mark_lists(tokens)
    recorder = ArrayRecorder(source)
    try:
        parse(tokens, recorder)
    except Unparsed as stop:
        from ..language.ambiguous_names import refuse_call  # only needed after an error
        from ..language.syntax_errors import explain

        reject_number_slips(tokens, source, known, ())
        for place, (name, *pair) in enumerate(zip(tokens.texts, tokens.kinds, tokens.kinds[1:], strict=False)):
            if pair == ["NAME", "LPAR"] and name not in known and name not in CONSTANTS:
                where = Span(tokens.starts[place], tokens.ends[place], source)
                refuse_call(name, where, arguments_at(tokens, place + 1), known)
        raise explain(stop.failure, source) from None
    return recorder.steps(shapes), [*recorder.readings, *tokens.spelled.readings]


def _array_tokens(text: str, shapes: Mapping[str, Shape]) -> Iterator[Foreign]:
    """Yield the tokens for the signs in `text` that only arrays have.

    These are transposes, entrywise operators, indices, norm bars and list brackets. `shapes` are those of names with a
    value. Skipped are `'` if the word before it together with `'` is such a name, and `^T` if T is a number of the
    point. A bracket with numbers is skipped, because it is a list, unless it directly follows a name or a closing
    bracket.
    """
    word, end = "", -1  # the last word and where it ends
    for match in _SIGN.finditer(text):
        kind, meaning = _KINDS[(match.lastindex or 1) - 1]
        sign, start = match.group(), match.start()
        if kind == "word":
            word, end = sign, match.end()
            continue
        behind = word if start == end else ""
        is_name = sign in "'’′" and behind + "'" in shapes
        is_power = sign[-1] == "T" and shapes.get("T") == ()
        is_list = sign[0] == "[" and not text.endswith((")", "]"), 0, start) and (not behind or behind[0].isdecimal())
        if not (is_name or is_power or is_list):
            yield Foreign(start, match.end(), ((kind, meaning or (_bar(sign) if kind == "BAR_OPEN" else sign)),))


def _bar(sign: str) -> str:
    """Return double bars as one sign with their subscript, if they have one."""
    last = sign.rstrip("}")[-1]
    return "‖" + last if last in "12F₁₂" else "‖"


def _mark_lists(tokens: Tokens) -> None:
    """Insert the function `list` in `tokens` before each square bracket that has a comma or semicolon, in place.

    In such a bracket the separator becomes a COMMA token, whose text stays (`;` ends a row, as the recorder reads). A
    bracket directly after a function is its argument list and stays; one without a separator is an ordinary bracket.
    Brackets must be balanced.
    """
    opened: list[int] = []
    lists: set[int] = set()
    for place, kind in enumerate(tokens.kinds):
        if kind in ("LPAR", "BAR_OPEN"):
            opened.append(place)
        elif kind in ("RPAR", "BAR_CLOSE"):
            opened.pop()
        elif kind in ("COMMA", "SEMI") and opened and tokens.texts[opened[-1]][-1] == "[":
            before = tokens.kinds[opened[-1] - 1] if opened[-1] else ""
            if before != "FUNC":
                tokens.kinds[place] = "COMMA"
                lists.add(opened[-1])
    for place in sorted(lists, reverse=True):
        start = tokens.starts[place]
        for column, item in zip(tokens[:4], ("FUNC", "list", start, start), strict=True):
            column.insert(place, item)  # type: ignore[attr-defined]  # a list of this kind of item


class ArrayRecorder(Recorder):
    """The actions of the grammar for programs of arrays: further signs are instructions called `array`."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.definitions = {name: Definition(name, [], [], 0, 0) for name in FUNCTION_NAMES}
        self.brackets: dict[int, tuple[int, int]] = {}  # around the value of an instruction, by its place in the code
        self.row_ends: set[int] = set()  # places in the code where a row of a list ends

    def _array(self, operation: str, count: int, start: int, end: int) -> Covered:
        """Append an operation of arrays on the last `count` values."""
        return self._emit("array", (operation, count, ""), start, end)

    def _renamed(self, piece: Covered, operation: str, text: str = "", count: int = 2) -> Covered:
        """Make the last instruction an operation of arrays, and return `piece`."""
        self.code[-1] = (*self.code[-1][:2], (operation, count, text), "array")
        return piece

    @override
    def binary(self, left: Covered, sign: Lexeme, right: Covered) -> Covered:
        if sign[3] == "ENTRYWISE" or sign[2] in PRODUCTS:
            return self._array(sign[2], 2, left[0], right[1])
        return super().binary(left, sign, right)

    @override
    def juxtaposed(self, left: Covered, right: Covered) -> Covered:
        return self._renamed(super().juxtaposed(left, right), "")

    @override
    def power(self, base: Covered, sign: Lexeme, exponent: Covered) -> Covered:
        """Record base^exponent, entry by entry for `.^`, and return it.

        A ^T behind an exponent without brackets transposes the power: `X^2^T` is (X^2)^T, and `X^-1^T` (X^-1)^T.
        """
        last = len(self.code) - 1 - (self.code[-1][3] == "operate" and self.code[-1][2].name == "neg")
        ends = {last, len(self.code) - 1}
        is_transposed = self.code[last][2:] == (("transpose", 1, ""), "array") and ends.isdisjoint(self.brackets)
        if is_transposed:  # X^2^T is (X^2)^T, X^-1^T is (X^-1)^T
            del self.code[last]
        piece = super().power(base, sign, exponent)
        piece = self._renamed(piece, ".^") if sign[2] == ".^" else piece
        return self._array("transpose", 1, base[0], exponent[1]) if is_transposed else piece

    @override
    def factorial(self, value: Covered, sign: Lexeme) -> Covered:
        """Append the step for a sign after `value` and return its piece.

        The sign is a transpose, also of the inverse, a factorial, or an index such as `[1,2]`, whose numbers are
        appended first as arguments of the step.
        """
        if sign[2] == "inverse":  # A^-T
            value = self._array("inv", 1, value[0], sign[1])
        if sign[2] in ("transpose", "inverse"):
            return self._array("transpose", 1, value[0], sign[1])
        if sign[2] == "!":
            return super().factorial(value, sign)
        indices = sign[2].strip("[]").split(",")
        for text in indices:
            self._emit("NUMBER", text.strip(), sign[0], sign[1])
        return self._array("index", 1 + len(indices), value[0], sign[1])

    @override
    def bars(self, opening: Lexeme, value: Covered, closing: Lexeme) -> Covered:
        """Append `norm1` for double bars whose closing one has the subscript 1, `norm` for other double bars, `abs` for
        single ones; return the piece."""
        if opening[2][0] == "‖":
            return self._array(_NORMS.get(closing[2][1:], "norm"), 1, opening[0], closing[1])
        return super().bars(opening, value, closing)

    @override
    def group(self, opening: Lexeme, value: Covered, closing: Lexeme) -> Covered:
        self.brackets[len(self.code) - 1] = opening[0], closing[1]
        return super().group(opening, value, closing)

    @override
    def next_argument(self, ends: list[int], comma: Lexeme, argument: Covered) -> list[int]:
        if comma[2][0] == ";":
            self.row_ends.add(ends[-1])
        return super().next_argument(ends, comma, argument)

    @override
    def call(
        self, opener: tuple[tuple[Lexeme, str | None, bool], int], arguments: list[int], closing: Lexeme
    ) -> Covered:
        """Append a call with brackets and return its piece, as the method of the base class does.

        `opener` is its (head, index in the code), `arguments` are the indices in the code behind each argument,
        `closing` is the closing bracket. A call of `list` gets as text the lengths of its rows, `2,2`. A row ends at an
        argument whose index is in `row_ends`, and at the last argument.
        """
        piece = super().call(opener, arguments, closing)
        if opener[0][0][2] != "list":
            return piece
        ends = [k for k, place in enumerate(arguments, 1) if place in self.row_ends or k == len(arguments)]
        lengths = [str(end - start) for start, end in zip([0, *ends], ends, strict=False)]
        return self._renamed(piece, "list", ",".join(lengths), len(arguments))

    def steps(self, names: Collection[str]) -> list[ParsedStep]:
        """Return the recorded instructions as steps whose arguments are the positions of earlier steps.

        A bracket around a value adds a step `group`. A name that is neither in `names` nor assigned is replaced by one
        of these that is equal to it without underscores, if there is one.
        """
        names = [*names, *(detail for _, _, detail, action in self.main if action == "assign")]
        spelled = {without_underscore(name): name for name in names}
        steps: list[ParsedStep] = []
        stack: list[int] = []
        for place, step in enumerate(self.main):
            operation, count, text = self._operation_of_step(step)
            if operation == "name" and text not in names:
                text = spelled.get(without_underscore(text), text)
            first = len(stack) - count
            steps.append(ParsedStep(operation, tuple(stack[first:]), text, step[0], step[1]))
            del stack[first:]
            stack.append(len(steps) - 1)
            if place in self.brackets:
                steps.append(ParsedStep("group", (stack.pop(),), "", *self.brackets[place]))
                stack.append(len(steps) - 1)
        return steps

    def _operation_of_step(self, step: Instruction) -> tuple[str, int, str]:
        """Return (operation, number of values that it takes, text) of an instruction, as in ParsedStep.

        ("number" or, for names and constants, "name", 0, text); ("assign" or "output", 1, name or ""); the detail of an
        array step, itself a triple. Else the text is "": operators are their sign, or the name of their row; functions
        their name, or the form of the row for this number of arguments.
        """
        detail, action = step[2:]
        if action in ("NUMBER", "NAME", "CONSTANT"):
            return "number" if action == "NUMBER" else "name", 0, detail
        if action == "array":
            operation: tuple[str, int, str] = detail
            return operation
        if action in ("assign", "output"):
            return action, 1, detail or ""
        if action in ("operate", "compare"):
            return _OPERATIONS.get(detail.name, detail.name), detail.arity, ""
        name, count = detail
        row = ROWS.get(name)
        return (row.forms.get(count, name) if row is not None and row.forms else name), count, ""
